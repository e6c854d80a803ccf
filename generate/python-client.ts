/**
 * The Python client: the codes of errors, the types of answers and one class with a method for each operation, for
 * Python 3.9 and later. How requests are made, tried again and given up is written by hand in the other files of
 * clients/python/postal_places.
 */

import { CLIENT_CLASS, isPythonKeyword, pythonName } from '../src/api/description/client-names.js';
import type { JsonSchema } from '../src/api/description/json-schema.js';
import {
  type ClientModel,
  type ClientOperation,
  type Field,
  type ObjectType,
  readModel,
  referredName,
  wrapClientText,
  writeModelMethods,
} from './client-model.js';
import type { OpenApiDocument, ParameterObject } from './openapi-document.js';

/** Of the text of a method. */
const INDENT = ' '.repeat(8);

export function writePythonClient(document: OpenApiDocument): string {
  const model = readModel(document);
  const errorNames = ['ERROR_CODES', ...model.errorTypes.map(({ name }) => name)];
  const names = [...errorNames, CLIENT_CLASS, ...model.types.map(({ name }) => name)];
  return [
    `"""The operations of the ${model.title} and their answers. Written by npm run generate:openapi: do not edit."""`,
    '',
    'from __future__ import annotations',
    '',
    'from typing import Iterator, List, Optional, Sequence, TypedDict, Union, cast',
    '',
    `from ._error_codes import ${errorNames.join(', ')}`,
    'from ._transport import Transport, iterate_pages',
    '',
    '__all__ = [',
    ...names.map((name) => `    "${name}",`),
    ']',
    '',
    ...model.types.map(writeType),
    writeClass(model),
  ].join('\n');
}

/** A module of its own: the error that every part of the client raises needs these types, and none of the operations. */
export function writePythonErrorCodes(document: OpenApiDocument): string {
  const { title, errorCodes, errorTypes } = readModel(document);
  return [
    `"""The codes of errors of the ${title}. Written by npm run generate:openapi: do not edit."""`,
    '',
    'from __future__ import annotations',
    '',
    'from typing import TypedDict',
    '',
    '#: The codes of errors; later versions of the API may add some.',
    `ERROR_CODES = (\n${errorCodes.map((code) => `    "${code}",\n`).join('')})`,
    '',
    ...errorTypes.map(writeType),
  ].join('\n');
}

/** A field that may be missing needs a class of its own: `NotRequired` came with Python 3.11. */
function writeType({ name, base, fields }: ObjectType): string {
  const optional = fields.filter(({ isOptional }) => isOptional);
  const required = fields.filter(({ isOptional }) => !isOptional);
  const bases = base ?? 'TypedDict';
  if (optional.length === 0) return `\n${writeClassOf(name, bases, required)}`;
  if (required.length === 0) return `\n${writeClassOf(name, `${bases}, total=False`, optional)}`;
  return `\n${writeClassOf(`_${name}`, bases, required)}\n\n${writeClassOf(name, `_${name}, total=False`, optional)}`;
}

function writeClassOf(name: string, bases: string, fields: readonly Field[]): string {
  if (fields.some((field) => isPythonKeyword(field.name))) return writeTypedDict(name, bases, fields);
  const lines = fields.flatMap(({ name: field, schema, meaning }) => [
    ...(meaning === undefined ? [] : [`    #: ${meaning}.`]),
    `    ${field}: ${typeOf(schema)}`,
  ]);
  return `class ${name}(${bases}):\n${lines.join('\n')}\n`;
}

/** A keyword cannot be the name of a field of a class, but the key of a dictionary. */
function writeTypedDict(name: string, bases: string, fields: readonly Field[]): string {
  if (bases !== 'TypedDict') throw new Error(`${name} cannot have both a base and a field that is a keyword`);
  const lines = fields.flatMap(({ name: field, schema, meaning }) => [
    ...(meaning === undefined ? [] : [`        #: ${meaning}.`]),
    `        "${field}": ${typeOf(schema)},`,
  ]);
  return `${name} = TypedDict(\n    "${name}",\n    {\n${lines.join('\n')}\n    },\n)\n`;
}

function writeClass(model: ClientModel): string {
  return `
class ${CLIENT_CLASS}:
    """A client of the ${model.title}. One may serve a whole program, and several threads.

    \`timeout\` is how many seconds a call may take in all: connecting, reading, waiting and trying again. Answers 503 and
    SERVICE_RATE_LIMITED are asked for again, at most \`max_retries\` times, after the seconds of Retry-After, unless these
    are more than \`max_wait\` or than what \`timeout\` leaves. A call raises nothing but PostalPlacesError.
    """

    def __init__(
        self,
        base_url: str,
        api_key: str,
        *,
        timeout: float = 30.0,
        max_retries: int = 2,
        max_wait: float = 30.0,
    ) -> None:
        self._transport = Transport(base_url, api_key, timeout, max_retries, max_wait)
${writeModelMethods(model, writeMethod, writeIterator)}`;
}

function writeMethod(operation: ClientOperation): string {
  const { id, path, summary, description, data, parameters, body } = operation;
  const dictionaryOf = (fields: readonly { readonly name: string }[]): string =>
    `{${fields.map(({ name }) => `"${name}": ${pythonName(name)}`).join(', ')}}`;
  const sent = body === undefined ? '' : `, ${dictionaryOf(body)}`;
  const type = typeOf(data);
  return `
    def ${pythonName(id)}(
        self,
${argumentsOf(parameters, body)}    ) -> ${type}:
        """${summary}.

${wrapClientText(description, INDENT)}
${describeParameters(parameters, body)}        """
        answer = self._transport.call("${path}", ${dictionaryOf(parameters)}, timeout${sent})
        return cast("${type}", answer)
`;
}

function writeIterator(operation: ClientOperation, { item, maxSize }: NonNullable<ClientOperation['page']>): string {
  const { id, summary, parameters } = operation;
  const whole = parameters.map((parameter) =>
    parameter.name === 'pageSize' ? { ...parameter, schema: { ...parameter.schema, default: maxSize } } : parameter,
  );
  const given = parameters.map(({ name, required }) =>
    required ? pythonName(name) : `${pythonName(name)}=${pythonName(name)}`,
  );
  const passed = given.map((argument) => (argument === 'page=page' ? 'page=number' : argument));
  return `
    def ${pythonName(id).replace(/^list_/, 'iterate_')}(
        self,
${argumentsOf(whole)}    ) -> Iterator[${item}]:
        """${summary}, from \`page\` to the last, each page fetched when it is reached."""
        return iterate_pages(
            page,
            lambda number: self.${pythonName(id)}(
                ${[...passed, 'timeout=timeout'].join(', ')}
            ),
        )
`;
}

/** Required parameters by place or name, the others by name. */
function argumentsOf(parameters: readonly ParameterObject[], body: readonly Field[] = []): string {
  const required = parameters.filter((parameter) => parameter.required);
  const optional = parameters.filter((parameter) => !parameter.required);
  const given = ({ name, schema }: { readonly name: string; readonly schema: JsonSchema }): string =>
    `${pythonName(name)}: ${parameterTypeOf(schema)}`;
  const omissible = ({ name, schema }: { readonly name: string; readonly schema: JsonSchema }): string =>
    schema.default === undefined
      ? `${pythonName(name)}: Optional[${parameterTypeOf(schema)}] = None`
      : `${pythonName(name)}: ${parameterTypeOf(schema)} = ${JSON.stringify(schema.default)}`;
  const lines = [
    ...body.filter((field) => !field.isOptional).map(given),
    ...required.map(given),
    '*',
    ...body.filter((field) => field.isOptional).map(omissible),
    ...optional.map(omissible),
    'timeout: Optional[float] = None',
  ];
  return lines.map((line) => `        ${line},\n`).join('');
}

function describeParameters(parameters: readonly ParameterObject[], body: readonly Field[] = []): string {
  const ofBody = body.map(({ name, meaning }) => wrapClientText(`${pythonName(name)}: ${meaning}.`, INDENT));
  const ofTarget = parameters.map(({ name, description }) =>
    wrapClientText(`${pythonName(name)}: ${description}`, INDENT),
  );
  const lines = [...ofBody, ...ofTarget];
  return lines.length === 0 ? '' : `\n${lines.join('\n')}\n`;
}

/** A list of words may be given as one text with commas too. */
function parameterTypeOf(schema: JsonSchema): string {
  return schema.items?.enum === undefined ? typeOf(schema) : 'Union[str, Sequence[str]]';
}

function typeOf(schema: JsonSchema): string {
  const name = referredName(schema);
  if (name !== undefined) return name;
  const { type, items, anyOf } = schema;
  if (Array.isArray(type)) return `Optional[${typeOf({ ...schema, type: type.find((one) => one !== 'null') })}]`;
  if (type === 'array') return `List[${typeOf(items as JsonSchema)}]`;
  if (type === undefined && anyOf !== undefined) {
    const types = anyOf.filter((one) => one.type !== 'null').map(typeOf);
    const union = types.length === 1 ? types[0] : `Union[${types.join(', ')}]`;
    return types.length === anyOf.length ? (union as string) : `Optional[${union}]`;
  }
  const names: Record<string, string> = { integer: 'int', number: 'float', boolean: 'bool', string: 'str' };
  const found = names[String(type)];
  if (found === undefined) throw new Error(`no type for ${JSON.stringify(schema)}`);
  return found;
}
