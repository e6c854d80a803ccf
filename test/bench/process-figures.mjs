/** Memory and processor time of a process, from the kernel's own books. Linux only. */
import { readdirSync, readFileSync } from 'node:fs';

/** Of a line that begins a mapping: that it is of a snapshot, which may be removed meanwhile. */
const OF_SNAPSHOT = /\.snapshot(?: \(deleted\))?$/;

/**
 * The memory of a process in bytes, from its smaps: `ownBytes` is what nobody else has (Private_Clean and Private_Dirty)
 * but for the pages of snapshots, and `snapshotBytes` is those. They are the system's cache of the file, which any
 * number of processes share; the kernel calls them private as long as just one has touched them.
 */
export function memoryOf(pid) {
  const memory = { ownBytes: 0, snapshotBytes: 0 };
  let isSnapshot = false;
  for (const line of readFileSync(`/proc/${pid}/smaps`, 'utf8').split('\n')) {
    if (/^[\da-f]+-[\da-f]+ /.test(line)) isSnapshot = OF_SNAPSHOT.test(line);
    const [, field, kilobytes] = /^(Rss|Private_Clean|Private_Dirty): +(\d+) kB$/.exec(line) ?? [];
    if (isSnapshot && field === 'Rss') memory.snapshotBytes += Number(kilobytes) * 1024;
    if (!isSnapshot && field?.startsWith('Private')) memory.ownBytes += Number(kilobytes) * 1024;
  }
  return memory;
}

/** How many snapshots a process maps. */
export function mappedSnapshotCount(pid) {
  return readFileSync(`/proc/${pid}/maps`, 'utf8')
    .split('\n')
    .filter((line) => OF_SNAPSHOT.test(line)).length;
}

/** The ids of the processes that a process has started and that have not ended. */
export function childrenOf(pid) {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return text.split(' ').filter(Boolean).map(Number);
}

/** Ticks of the clock that /proc counts in: 100 a second on every Linux that node runs on. */
const TICKS_PER_SECOND = 100;

/**
 * The processor time that some processes have taken so far, and all that they started and that still run: of all their
 * threads, and the kernel's for them.
 */
export function cpuSecondsOfTrees(pids) {
  const stats = new Map();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      stats.set(Number(name), statOf(name));
    } catch (error) {
      // A process may end meanwhile.
      if (error.code !== 'ENOENT' && error.code !== 'ESRCH') throw error;
    }
  }
  const members = new Set(pids);
  for (const member of members) {
    for (const [pid, fields] of stats) if (Number(fields[PARENT]) === member) members.add(pid);
  }
  return [...members].reduce((sum, pid) => sum + cpuSecondsIn(stats.get(pid)), 0);
}

/** Positions in what statOf gives. */
const PARENT = 1;
const USER_TICKS = 11;
const SYSTEM_TICKS = 12;

/** The fields of a process's stat behind the name of its program, which may have spaces. */
function statOf(pid) {
  return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1).split(' ');
}

function cpuSecondsIn(fields) {
  return (Number(fields[USER_TICKS]) + Number(fields[SYSTEM_TICKS])) / TICKS_PER_SECOND;
}
