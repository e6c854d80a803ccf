/** The questions about the world, asked everywhere. */

import { join } from 'node:path';
import { askEverywhere } from '../questions/ask-everywhere.js';
import { worldQuestions } from '../questions/questions.js';
import { buildsFolder } from './world.js';

askEverywhere(worldQuestions, async () => join(buildsFolder(), '2026-03-cities.snapshot'));
