type JsonObject = { readonly [key: string]: unknown };

/** A JSON schema as far as answers are compared; OpenAPI 3.1 and Swagger 2.0 spell this part alike. */
interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
}

interface Answer {
  readonly $ref?: string;
  /** Swagger. */
  readonly schema?: Schema;
  /** OpenAPI. */
  readonly content?: Readonly<Record<string, { readonly schema?: Schema }>>;
}

interface Operation {
  readonly responses: Readonly<Record<string, Answer>>;
}

type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

/** Where our answers come from, and theirs. */
interface Documents {
  readonly ours: JsonObject;
  readonly theirs: JsonObject;
}

/**
 * What a client of Gitea's API would stumble over in ours, a line each; empty when there is nothing. Compared are the
 * operations that both have (names of path parameters do not count): the status of success is one that Gitea gives too;
 * a field of ours that Gitea has too is of its type and never null; and a list is wrapped as Gitea wraps it.
 * Fields and paths that one side alone has are nobody's trouble. Both documents are as published: ours OpenAPI 3.1
 * without the prefix in its paths, Gitea's Swagger 2.0.
 */
export function compareWithSwagger(openApi: JsonObject, swagger: JsonObject): readonly string[] {
  const documents: Documents = { ours: openApi, theirs: swagger };
  const theirPaths = new Map(Object.entries(swagger['paths'] as Paths).map(([path, operations]) => [anonymous(path), operations]));
  return Object.entries(openApi['paths'] as Paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, ours]) => {
      const theirs = theirPaths.get(anonymous(path))?.[method];
      return theirs ? compareOperations(ours, theirs, documents).map((difference) => `${method.toUpperCase()} ${path}: ${difference}`) : [];
    }),
  );
}

/** How many operations of ours Gitea has too: a comparison of nothing finds nothing. */
export function sharedOperations(openApi: JsonObject, swagger: JsonObject): number {
  const theirPaths = new Map(Object.entries(swagger['paths'] as Paths).map(([path, operations]) => [anonymous(path), operations]));
  return Object.entries(openApi['paths'] as Paths)
    .map(([path, operations]) => Object.keys(operations).filter((method) => theirPaths.get(anonymous(path))?.[method]).length)
    .reduce((sum, count) => sum + count, 0);
}

function anonymous(path: string): string {
  return path.replaceAll(/\{\w+\}/g, '{}');
}

function compareOperations(ours: Operation, theirs: Operation, documents: Documents): readonly string[] {
  const statuses = Object.keys(ours.responses).filter((status) => status.startsWith('2'));
  return statuses.flatMap((status) => {
    const theirAnswer = theirs.responses[status];
    if (!theirAnswer) return [`answers ${status}, which Gitea does not`];
    const theirSchema = resolve(theirAnswer, documents.theirs).schema;
    if (!theirSchema) return [];
    const ourSchema = resolve(ours.responses[status] ?? {}, documents.ours).content?.['application/json']?.schema;
    if (!ourSchema) return ['answers without the JSON that Gitea has'];
    return [...compareWrapping(ourSchema, resolve(theirSchema, documents.theirs)), ...compareSchemas(ourSchema, theirSchema, '', documents)];
  });
}

/** Gitea wraps a list into an object of the list and `total_count`: both are what a client reads first. */
function compareWrapping(ours: Schema, theirs: Schema): readonly string[] {
  const fields = Object.keys(theirs.properties ?? {});
  const isWrapper = fields.length === 2 && fields.includes('total_count') && Object.values(theirs.properties ?? {}).some((field) => field.type === 'array');
  if (!isWrapper) return [];
  return fields.filter((field) => !ours.required?.includes(field)).map((field) => `does not always have "${field}", in which Gitea wraps the list`);
}

function compareSchemas(ours: Schema, theirs: Schema, at: string, documents: Documents): readonly string[] {
  const our = resolve(ours, documents.ours);
  const their = resolve(theirs, documents.theirs);
  if (our.anyOf) return our.anyOf.flatMap((variant) => compareSchemas(variant, their, at, documents));
  const name = at === '' ? 'the answer' : `"${at}"`;
  const foreign = typesOf(our).filter((type) => !isOf(type, typesOf(their)));
  if (foreign.length > 0) return [`${name} may be ${foreign.join(' or ')}; Gitea has ${typesOf(their).join(' or ')}`];
  if (their.format === 'date-time' && our.format !== 'date-time') return [`${name} is no time; Gitea has one`];
  if (our.items && their.items) return compareSchemas(our.items, their.items, `${at}[]`, documents);
  return Object.entries(our.properties ?? {}).flatMap(([field, schema]) => {
    const theirField = their.properties?.[field];
    return theirField ? compareSchemas(schema, theirField, at === '' ? field : `${at}.${field}`, documents) : [];
  });
}

function typesOf({ type }: Schema): readonly string[] {
  return type === undefined ? [] : [type].flat();
}

/** A schema without a type takes anything. */
function isOf(type: string, allowed: readonly string[]): boolean {
  return allowed.length === 0 || allowed.includes(type) || (type === 'integer' && allowed.includes('number'));
}

/** Follows `#/definitions/X` and the like, within the document that has it. */
function resolve<Part extends { readonly $ref?: string }>(part: Part, document: JsonObject): Part {
  if (part.$ref === undefined) return part;
  const found = part.$ref
    .replace(/^#\//, '')
    .split('/')
    .reduce<unknown>((inner, key) => (inner as JsonObject | undefined)?.[key], document);
  if (found === undefined) throw new Error(`${part.$ref} is not in the document`);
  return resolve(found as Part, document);
}
