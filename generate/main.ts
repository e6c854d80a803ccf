/**
 * `npm run generate:openapi`: writes docs/openapi.json from the code. A test fails where the file is not what this program
 * would write.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../src/package-root.js';
import { generateFiles } from './generated-files.js';
import { withStarterAnswers } from './starter-answers.js';

const files = await withStarterAnswers(generateFiles);
for (const [path, text] of files) writeFileSync(join(packageRoot(), path), text);
process.stdout.write(`${[...files.keys()].join('\n')}\n`);
