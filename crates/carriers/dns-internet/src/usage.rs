//! What processes took of the machine, from `/proc`.

use std::fs;

/// Processor time and memory of a process group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    /// Nanoseconds on processors, of all its processes and threads that live.
    pub processor: u64,
    /// The most octets of memory that any of its processes had at once.
    pub memory: u64,
}

/// What the processes of a group took so far; nothing where there are none.
pub fn of_group(group: u32) -> Usage {
    let mut usage = Usage::default();
    for pid in members(group) {
        usage.processor += processor(pid);
        usage.memory = usage.memory.max(memory(pid).unwrap_or(0));
    }
    usage
}

/// Datagrams over IPv4 that the kernel lost by now, as a socket's buffer was full, in this thread's network
/// namespace (`RcvbufErrors` of `/proc/net/snmp`). Counted, since what the kernel drops looks like a server
/// that does not answer.
pub(crate) fn overflowed() -> Option<u64> {
    let text = fs::read_to_string("/proc/thread-self/net/snmp").ok()?;
    let mut lines = text.lines().filter_map(|line| line.strip_prefix("Udp: "));
    let at = lines.next()?.split(' ').position(|name| name == "RcvbufErrors")?;
    lines.next()?.split(' ').nth(at)?.parse().ok()
}

/// Whether any process of a group still runs; those that have ended and that nobody has asked after yet do not.
pub(crate) fn is_alive(group: u32) -> bool {
    members(group).next().is_some()
}

/// The processes of a group, but for those that have ended.
fn members(group: u32) -> impl Iterator<Item = u32> {
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = processes.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    pids.filter(move |pid| group_of(*pid) == Some(group))
}

/// The fifth field of `/proc/PID/stat`; the second may have anything within its parentheses. None of a zombie, by the third.
fn group_of(pid: u32) -> Option<u32> {
    let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let mut fields = text.rsplit_once(')')?.1.split_ascii_whitespace();
    let state = fields.next()?;
    fields.nth(1)?.parse().ok().filter(|_| !matches!(state, "Z" | "X"))
}

/// The first field of each thread's `schedstat`, in nanoseconds.
fn processor(pid: u32) -> u64 {
    let threads = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let each = threads.filter_map(|thread| {
        let text = fs::read_to_string(thread.path().join("schedstat")).ok()?;
        text.split_ascii_whitespace().next()?.parse::<u64>().ok()
    });
    each.sum()
}

fn memory(pid: u32) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok()? << 10)
}

#[cfg(test)]
mod tests {
    use std::net::UdpSocket;

    use super::*;

    #[test]
    fn of_this_process() {
        let own = std::process::id();
        let group = group_of(own).expect("a group");
        let before = of_group(group);
        let mut sum = 0_u64;
        while of_group(group).processor < before.processor + 2_000_000 {
            sum = sum.wrapping_mul(31).wrapping_add(1);
        }
        std::hint::black_box(sum);
        assert!(memory(own).is_some_and(|bytes| bytes > 1 << 16));
        assert_eq!(of_group(u32::MAX), Usage::default());
    }

    #[test]
    fn datagrams_that_nobody_fetches_are_counted() -> std::io::Result<()> {
        let [from, to] = [UdpSocket::bind("127.0.0.1:0")?, UdpSocket::bind("127.0.0.1:0")?];
        let before = overflowed().expect("a count");
        // Ten million octets, where a socket has room for some hundred thousand.
        for _ in 0..10_000 {
            from.send_to(&[0; 1_000], to.local_addr()?)?;
        }
        assert!(overflowed() > Some(before), "{before}");
        Ok(())
    }
}
