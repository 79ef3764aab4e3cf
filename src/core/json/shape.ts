/** The kinds of a value that has no parts to check. A `name` is a string without words, which is only compared: an id, a time. */
export type Kind =
  | 'string'
  | 'name'
  | 'boolean'
  | 'literal true'
  | 'finite number'
  | 'JSON value'
  | 'JSON object'

/** Describes a value as data, so that a bundler can leave out a shape that nobody imports. */
export type Shape =
  | Kind
  | OneOf
  | { readonly listOf: Shape }
  | { readonly stringOr: Shape }
  | { readonly fields: Fields }
  | Variants

/** Fields by name. A name that ends in `?` is an optional field. Objects may have further fields. */
export interface Fields {
  readonly [name: string]: Shape
}

/** A string of a closed set. The keys are the set, so that the compiler can ask for each of them. */
interface OneOf<Option extends string = string> {
  readonly oneOf: Readonly<Record<Option, true>>
}

/** An object with the fields of every type, and the fields of its own `type`. */
export interface Variants<Type extends string = string> {
  readonly fields: Fields
  readonly byType: Readonly<Record<Type, Fields>>
}

/** The shape of a TypeScript type. The compiler asks for each part of the type. */
export type ShapeOf<Value> = unknown extends Value
  ? 'JSON value'
  : [Value] extends [boolean]
    ? FlagOf<Value>
    : [Value] extends [number]
      ? 'finite number'
      : [Value] extends [string]
        ? TextOf<Value>
        : [Value] extends [readonly (infer Item)[]]
          ? { readonly listOf: ShapeOf<Item> }
          : string extends Value
            ? { readonly stringOr: ShapeOf<Exclude<Value, string>> }
            : [Value] extends [Typed]
              ? Variants<Value['type']>
              : { readonly fields: FieldsOf<Value> }

type FlagOf<Value extends boolean> = false extends Value ? 'boolean' : 'literal true'

type TextOf<Value extends string> = string extends Value ? 'string' | 'name' : OneOf<Value>

interface Typed {
  readonly type: string
}

/** The fields of a TypeScript type. A field without an entry, or with the wrong kind, does not compile. */
export type FieldsOf<Value> = {
  readonly [Name in keyof Value & string as NameOf<Value, Name>]: ShapeOf<Exclude<Value[Name], undefined>>
}

type NameOf<Value, Name extends keyof Value & string> =
  Partial<Pick<Value, Name>> extends Pick<Value, Name> ? `${Name}?` : Name

/** The shape of a union on `type`. The members share the fields of `Shared`, and each has an entry for its own fields. */
export interface VariantsOf<Union extends Typed, Shared = unknown> extends Variants<Union['type']> {
  readonly fields: FieldsOf<Shared>
  readonly byType: {
    readonly [Type in Union['type']]: FieldsOf<
      Omit<Extract<Union, { readonly type: Type }>, 'type' | keyof Shared>
    >
  }
}

/** Returns the fields of all parts. Bundlers drop an unused call that is marked as pure, and keep an unused spread. */
export function mergeFields<First extends Fields, Second extends Fields, Third extends Fields>(
  first: First,
  second: Second,
  third?: Third,
): First & Second & Third
export function mergeFields(...parts: readonly Fields[]): Fields {
  return Object.assign({}, ...parts)
}

/** Returns the names of the fields, without the mark of optional ones. */
export function fieldNames<Value>(fields: FieldsOf<Value>): readonly (keyof Value & string)[]
export function fieldNames(fields: Fields): readonly string[] {
  return Object.keys(fields).map(fieldName)
}

/** Returns the names of the fields that hold no words, at any depth: names, lists of names, and texts of a closed set. */
export function wordlessFields(shapes: readonly Shape[]): ReadonlySet<string> {
  const found = new Set<string>()
  const walk = (each: Shape): void => {
    if (typeof each === 'string' || 'oneOf' in each) return
    if ('listOf' in each) return walk(each.listOf)
    if ('stringOr' in each) return walk(each.stringOr)
    if ('byType' in each) found.add('type')
    for (const fields of [each.fields, ...('byType' in each ? Object.values(each.byType) : [])])
      for (const [entry, inner] of Object.entries(fields)) {
        if (isWordless(inner)) found.add(fieldName(entry))
        walk(inner)
      }
  }
  shapes.forEach(walk)
  return found
}

function isWordless(shape: Shape): boolean {
  if (typeof shape === 'string') return shape === 'name'
  return 'oneOf' in shape || ('listOf' in shape && isWordless(shape.listOf))
}

/** Returns the name in an entry of `Fields`: the entry without the mark of an optional field. */
export function fieldName(entry: string): string {
  return entry.replace('?', '')
}
