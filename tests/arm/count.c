// A plugin of qemu-user: instructions and system calls between marks, which the guest sets by umask(1..9).
//
// A mark ends the part before it; what is printed at the end is a line a mark: its number, instructions, system calls.

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>

// Of qemu's interface for plugins, version 1, what is used here: Debian has no header of it.
typedef uint64_t Id;
typedef uint64_t Word;
struct Block;
int qemu_plugin_version = 1;
void qemu_plugin_register_vcpu_tb_trans_cb(Id, void (*)(Id, struct Block *));
size_t qemu_plugin_tb_n_insns(const struct Block *);
void qemu_plugin_register_vcpu_tb_exec_inline(struct Block *, int operation, void *, uint64_t);
void qemu_plugin_register_vcpu_syscall_cb(Id, void (*)(Id, unsigned, int64_t, Word, Word, Word, Word, Word, Word, Word,
                                                       Word));

enum { ADD = 0, UMASK = 60 };  // an inline operation; a system call of a 32-bit ARM
static uint64_t instructions, calls, before, calls_before;

static void translated(Id id, struct Block *block) {
  (void)id;
  qemu_plugin_register_vcpu_tb_exec_inline(block, ADD, &instructions, qemu_plugin_tb_n_insns(block));
}

static void called(Id id, unsigned cpu, int64_t number, Word first, Word b, Word c, Word d, Word e, Word f, Word g,
                   Word h) {
  (void)id, (void)cpu, (void)b, (void)c, (void)d, (void)e, (void)f, (void)g, (void)h;
  if (number != UMASK || first < 1 || first > 9) {
    calls++;
    return;
  }
  fprintf(stderr, "%u %" PRIu64 " %" PRIu64 "\n", (unsigned)first, instructions - before, calls - calls_before);
  before = instructions, calls_before = calls;
}

int qemu_plugin_install(Id id, const void *info, int count, char **arguments) {
  (void)info, (void)count, (void)arguments;
  qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
  qemu_plugin_register_vcpu_syscall_cb(id, called);
  return 0;
}
