import { isObject, type JsonObject } from '../../core/json/values.ts'

const DEEP: unknown = JSON.parse(`${'[{"a":'.repeat(50_000)}1${'}]'.repeat(50_000)}`)

/** JSON values that no program writes as a message. */
export const UNKNOWN_MESSAGES: readonly unknown[] = [
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

/** Wrong values for a field. `undefined` removes the field. */
const WRONG_VALUES: readonly unknown[] = [undefined, null, 7, '', 'constructor', [], {}, [null], DEEP]

/** Returns copies of the message, each with one missing or wrong field, at the first or the second level. */
export function malformedVariants(message: unknown): readonly unknown[] {
  if (!isObject(message)) return []
  return fieldsOf(message).flatMap(([key, value]) => [
    ...WRONG_VALUES.map((wrong) => withField(message, key, wrong)),
    ...(isObject(value)
      ? fieldsOf(value).flatMap(([inner]) =>
          WRONG_VALUES.map((wrong) => withField(message, key, withField(value, inner, wrong))),
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
