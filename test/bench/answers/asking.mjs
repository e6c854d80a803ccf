/** Asking the service of this process, for the programs of bench:answers. */
import { DomainError } from '../../../dist/src/core/use-cases/domain-error.js';
import { service } from '../../../dist/src/core/use-cases/service.js';

/** The last answer: where it is never looked at, an optimising compiler might leave out what makes it. */
export const last = { answer: undefined };

/** Asks `useCase` of a snapshot; an error of the contract is an answer too. */
export function ask(snapshot, useCase, input) {
  try {
    last.answer = service[useCase](snapshot, input);
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    last.answer = error;
  }
}

/** `inputs` again and again until they are `length`: some lookups have few. */
export function repeated(inputs, length) {
  return Array.from({ length }, (_, at) => inputs[at % inputs.length]);
}
