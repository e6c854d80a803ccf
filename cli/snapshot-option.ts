/** The option that names the snapshot of the commands that ask; named-snapshot.ts opens it. */
import { InvalidArgumentError, Option } from 'commander';

export function snapshotOption(): Option {
  return new Option('--snapshot <file or folder>', "default: SNAPSHOT, else the package's own data").argParser(
    parseSource,
  );
}

/** An empty name is mostly a variable that is not set: its caller must not get answers from other data. */
function parseSource(source: string): string {
  if (source === '') throw new InvalidArgumentError('It must be the name of a file or a folder.');
  return source;
}
