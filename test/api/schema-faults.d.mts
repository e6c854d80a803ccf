/** The faults of a value, or undefined; `schema` is a schema as JSON. */
export function schemaFaults(schema: string, value: unknown): string | undefined;
