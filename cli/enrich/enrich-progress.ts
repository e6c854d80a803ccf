/** The progress of a run on a terminal: a bar with rate and time left, or the rows alone where the size is unknown. */

import { SingleBar } from 'cli-progress';
import { formatCount } from '../../build-index/reporting/format-figures.js';
import type { Tally } from './tally.js';

export interface EnrichProgress {
  update(tally: Tally, bytes: number): void;
  stop(): void;
}

/** Undefined `totalBytes`: of a table that comes as a stream. */
export function createEnrichProgress(stream: NodeJS.WriteStream, totalBytes: number | undefined): EnrichProgress {
  const startedAt = performance.now();
  const format =
    totalBytes === undefined
      ? '{rows} rows, {rate} a second'
      : '{bar} {percentage} % | {rows} rows, {rate} a second | {left} left';
  const bar = new SingleBar({ format, barCompleteChar: '█', barIncompleteChar: '░', hideCursor: true, stream });
  bar.start(totalBytes ?? 1, 0, { rows: '0', rate: '0', left: '-' });
  return {
    update({ rowCount, earlierRows }, bytes) {
      const seconds = (performance.now() - startedAt) / 1000;
      const rate = formatCount(Math.round(rowCount / seconds));
      const rows = formatCount(earlierRows + rowCount);
      const left = bytes === 0 ? '-' : formatTime((seconds * ((totalBytes ?? 0) - bytes)) / bytes);
      bar.update(totalBytes === undefined ? 0 : Math.min(bytes, totalBytes), { rows, rate, left });
    },
    stop: () => bar.stop(),
  };
}

/** "1:02:03", "2:03" */
function formatTime(seconds: number): string {
  const whole = Math.max(0, Math.ceil(seconds));
  const parts = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const shown = parts[0] === 0 ? parts.slice(1) : parts;
  return shown.map((part, index) => (index === 0 ? `${part}` : String(part).padStart(2, '0'))).join(':');
}
