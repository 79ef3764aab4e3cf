import { isObject, isString, type JsonObject } from '../core/json/values.ts'
import { isBinary, redactEncoded } from './encoded-files.ts'
import { KEY, SECRET } from './marks.ts'
import type { Redact } from './options.ts'
import { redactWords } from './words.ts'

/** Redacts a JSON value: its texts, the names of its fields, lists of arguments, and values whose name says that they are secrets. */
export function redactValue(value: unknown, redact: Redact): unknown {
  if (typeof value === 'string') return redact(value)
  if (Array.isArray(value)) {
    if (value.every(isString)) return redactWords(value, redact)
    return value.map((item) => redactValue(item, redact))
  }
  return isObject(value) ? redactFields(value, redact) : value
}

function redactFields(fields: JsonObject, redact: Redact): JsonObject {
  const mediaType = [fields.media_type, fields.mimeType, fields.mediaType].find(isString)
  const named = namedValue(fields)
  return Object.fromEntries(
    Object.entries(fields).map(([key, value]) => {
      if (mediaType !== undefined && isString(value) && BYTES.includes(key))
        return [key, redactBytes(value, mediaType, redact)]
      const name = key === named?.field ? named.name : key
      if (isString(value) && isString(fields.kty) && isPrivateMember(key, value, redact)) return [key, KEY]
      return [
        redact(key),
        namesSecret(name, redact) ? redactNamed(name, value, redact) : redactValue(value, redact),
      ]
    }),
  )
}

/** Whether the redaction hides the member of a JSON Web Key. The type of the key says what `d` means. */
function isPrivateMember(key: string, value: string, redact: Redact): boolean {
  return !redact(JSON.stringify({ kty: '', [key]: value })).includes(value)
}

/** The fields with the bytes of a file. A rule could take a part of an image for a key. */
const BYTES: readonly string[] = ['data', 'blob']

/** The bytes may be a text that is not in base64. */
function redactBytes(value: string, mediaType: string, redact: Redact): string {
  const redacted = redactEncoded(value, mediaType, redact)
  return redacted === value && !isBinary(mediaType) ? redact(value) : redacted
}

const NAMES: readonly string[] = ['name', 'key', 'header', 'field', 'variable', 'env', 'Name', 'Key']
const VALUES: readonly string[] = ['value', 'val', 'Value', 'default', 'content']

/** Returns the name and the field of the value in an object such as `{ name: 'Authorization', value: 'x' }`. */
function namedValue(fields: JsonObject): { readonly name: string; readonly field: string } | undefined {
  const name = NAMES.map((key) => fields[key]).find(isString)
  const field = VALUES.find((key) => Object.hasOwn(fields, key))
  return name === undefined || field === undefined ? undefined : { name, field }
}

/** Values that no rule finds by themselves. A cookie has a name of its own. */
const SAMPLES: readonly string[] = ['x1y2z3x1y2z3x1y2', 'a=x1y2z3x1y2z3x1y2']

/** Whether the redaction hides values of such a name. A value alone does not show whose it is. */
function namesSecret(name: string, redact: Redact): boolean {
  return (
    name.length < 200 &&
    SAMPLES.some((sample) => !redact(JSON.stringify({ [name]: sample })).includes(sample))
  )
}

/** Redacts what stands under the name of a secret. Code and placeholders stay, as they do in a text. */
function redactNamed(name: string, value: unknown, redact: Redact): unknown {
  if (typeof value === 'string' || typeof value === 'number') return redactPair(name, value, redact)
  if (Array.isArray(value)) return value.map((item) => redactNamed(name, item, redact))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      redact(key),
      VALUES.includes(key) ? redactNamed(name, item, redact) : redactValue(item, redact),
    ]),
  )
}

function redactPair(name: string, value: string | number, redact: Redact): string | number {
  const shown = typeof value === 'string' ? redact(value) : value
  const pair = redact(`${JSON.stringify(name)}:${JSON.stringify(value)}`)
  return pair.includes(JSON.stringify(shown)) || pair.includes(JSON.stringify(value)) ? shown : SECRET
}
