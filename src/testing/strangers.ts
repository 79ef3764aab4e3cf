import { isObject, type JsonObject } from '../json/values.ts'

const DEEP: unknown = JSON.parse(`${'[{"a":'.repeat(50_000)}1${'}]'.repeat(50_000)}`)

/** JSON that no program writes. */
export const STRANGERS: readonly unknown[] = [
  null,
  true,
  7,
  '',
  'text',
  [],
  [null],
  {},
  { type: 7 },
  { type: 'agentfold:no-such-type' },
  { type: '__proto__' },
  JSON.parse('{"__proto__":{"type":"text"},"constructor":null}'),
  DEEP,
]

/** What stands where something else belongs. */
const ODD: readonly unknown[] = [undefined, null, 7, '', 'constructor', [], {}, [null], DEEP]

/** The message with each of its fields, and of theirs, missing or of another kind. */
export function spoiled(message: unknown): readonly unknown[] {
  if (!isObject(message)) return []
  return fieldsOf(message).flatMap(([key, value]) => [
    ...ODD.map((odd) => withField(message, key, odd)),
    ...(isObject(value)
      ? fieldsOf(value).flatMap(([inner]) =>
          ODD.map((odd) => withField(message, key, withField(value, inner, odd))),
        )
      : []),
  ])
}

function fieldsOf(value: JsonObject): readonly (readonly [string, unknown])[] {
  return Object.entries(value).filter(([key]) => key !== '__proto__')
}

function withField(value: JsonObject, key: string, field: unknown): JsonObject {
  const { [key]: _, ...others } = value
  return field === undefined ? others : { ...others, [key]: field }
}
