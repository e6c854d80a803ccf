/** The program of the builder's worker threads. */
import { serveTasks } from '../pool/serve-tasks.js';
import { runTask } from './run-task.js';

serveTasks(runTask);
