// Feeds the rules of vivado/harness/rules.hpp with traffic, right and wrong; prints what they say of each case.
#include "rules.hpp"

#include <cstdio>

using Addresses = harness::AddressRules<8>;
using Data = harness::DataRules<8>;

static void say(const char* name, const char* broken) { std::printf("%s: %s\n", name, broken ? broken : "kept"); }

static Data::Beat beat(unsigned char value, bool last) { return {{value}, 0xFF, last}; }

int main() {
    {
        const char* broken = nullptr;
        Addresses rules;
        rules.check(true, false, 0x0F80, 15, broken);
        rules.check(true, true, 0x0F80, 15, broken);
        rules.check(true, true, 0x1000, 0, broken);
        say("addresses", broken);
    }
    {
        const char* broken = nullptr;
        Addresses rules;
        rules.check(true, false, 0x1000, 3, broken);
        rules.check(true, true, 0x1000, 4, broken);
        say("length changes", broken);
    }
    {
        const char* broken = nullptr;
        Addresses rules;
        rules.check(true, false, 0x1000, 3, broken);
        rules.check(false, true, 0x1000, 3, broken);
        say("withdrawn", broken);
    }
    {
        const char* broken = nullptr;
        Addresses().check(true, true, 0x0F88, 15, broken);
        say("over 4 KB", broken);
    }
    {
        const char* broken = nullptr;
        Addresses().check(true, true, 0x1000, 16, broken);
        say("17 beats", broken);
    }
    {   // the first burst's data comes with and before its address
        const char* broken = nullptr;
        Data rules;
        rules.check(true, true, beat(1, false), true, 1, broken);
        rules.check(true, false, beat(2, true), true, 1, broken);
        rules.check(true, true, beat(2, true), true, 1, broken);
        rules.expect(1);
        rules.check(false, true, beat(0, false), true, 0, broken);
        rules.expect(0);
        rules.check(true, true, beat(3, true), false, 0, broken);
        say("data", broken);
    }
    {
        const char* broken = nullptr;
        Data().check(true, true, beat(1, true), false, 0, broken);
        say("no address", broken);
    }
    {
        const char* broken = nullptr;
        Data rules;
        rules.check(true, true, beat(1, true), true, 0, broken);
        rules.check(true, true, beat(2, true), true, 0, broken);
        say("two bursts, one address", broken);
    }
    {
        const char* broken = nullptr;
        Data rules;
        rules.expect(1);
        rules.check(true, true, beat(1, true), false, 0, broken);
        say("last too early", broken);
    }
    {
        const char* broken = nullptr;
        Data rules;
        rules.expect(0);
        rules.check(true, true, beat(1, false), false, 0, broken);
        say("last missing", broken);
    }
    {
        const char* broken = nullptr;
        Data rules;
        rules.expect(0);
        rules.check(true, false, beat(1, true), false, 0, broken);
        rules.check(true, true, beat(2, true), false, 0, broken);
        say("data changes", broken);
    }
}
