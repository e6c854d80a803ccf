/** The questions about the starter countries, asked everywhere. */

import { sharedStarterSnapshot } from '../fixtures/starter-snapshot.js';
import { askEverywhere } from './ask-everywhere.js';
import { starterQuestions } from './questions.js';

askEverywhere(starterQuestions, sharedStarterSnapshot);
