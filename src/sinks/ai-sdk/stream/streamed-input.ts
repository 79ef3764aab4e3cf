import { parseJson } from '../../../core/json/values.ts'

/** Runs of characters, because an alternative for each character overflows the stack for long texts. */
const STRING = /"(?<text>[^"\\]*(?:\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4})[^"\\]*)*)(?<quote>"?)/
const NUMBER = /(?<number>-?\d+(?:\.\d+)?(?:[Ee][+-]?\d+)?)/
const TOKEN = String.raw`\s*(?:(?<mark>[{}[\],:])|${STRING.source}|${NUMBER.source}|(?<word>[a-z]+))`
const WORDS = ['true', 'false', 'null']

/**
 * Returns the value of a JSON text that is not complete, as the AI SDK's reader completes it. The reader closes texts, lists and objects,
 * completes words, and leaves out an unfinished key or number. Undefined if no value has begun. The reader refuses a key `__proto__`.
 */
export function streamedInput(text: string): unknown {
  if (/"__proto__"\s*:/.test(text)) return undefined
  return parseJson(text) ?? parseJson(completed(text))
}

function completed(text: string): string {
  const closers: string[] = []
  let [isKey, valid] = [false, '']
  const tokens = new RegExp(TOKEN, 'y')
  for (let token = tokens.exec(text); token; token = tokens.exec(text)) {
    const { mark, quote, word } = token.groups ?? {}
    const read = text.slice(0, tokens.lastIndex)
    if (mark !== undefined) {
      isKey = mark === '{' || (mark === ',' && closers.at(-1) === '}')
      if (mark === '{') closers.push('}')
      else if (mark === '[') closers.push(']')
      else if (mark === '}' || mark === ']') closers.pop()
      if (mark !== ',' && mark !== ':') valid = read
    } else if (word !== undefined) valid = withRest(read, word) ?? valid
    else if (!isKey) valid = quote === '' ? `${read}"` : read
  }
  return valid + closers.reverse().join('')
}

function withRest(read: string, word: string): string | undefined {
  const known = WORDS.find((each) => each.startsWith(word))
  return known === undefined ? undefined : read + known.slice(word.length)
}
