/** The option that names the snapshot of the commands that ask; named-snapshot.ts opens it. */
import { Option } from 'commander';

export function snapshotOption(): Option {
  return new Option('--snapshot <file or folder>', "default: SNAPSHOT, else the package's own data");
}
