import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { asArray, asObject } from '../../src/core/json/values.ts'
import { type ModelApi, readAnswer } from '../../src/entries/lineage.ts'

// Each stream with the message that the official client assembled from it (tools/record/answers).
const FOLDER = join(import.meta.dirname, '../../fixtures/answers')
const APIS: readonly ModelApi[] = ['messages', 'chat-completions', 'responses']

interface Recording {
  readonly name: string
  readonly api: ModelApi
  readonly stream: Buffer
  readonly isWhole: boolean
  readonly message: unknown
}

const recordings = readdirSync(FOLDER)
  .filter((file) => file.endsWith('.json'))
  .map((file): Recording => {
    const name = file.replace('.json', '')
    const api = APIS.find((each) => name.startsWith(each))
    if (!api) throw new Error(`${name}: of which API?`)
    const { isWhole, message } = JSON.parse(readFileSync(join(FOLDER, file), 'utf8'))
    return { name, api, stream: readFileSync(join(FOLDER, `${name}.txt`)), isWhole, message }
  })
const whole = recordings.filter(({ isWhole }) => isWhole)
const broken = recordings.filter(({ isWhole }) => !isWhole)
const named = (list: readonly Recording[]) => list.map((each) => [each.name, each] as const)

/** Fields that the clients add to what the API sends. */
const ADDED: ReadonlySet<string> = new Set(['parsed', 'parsed_arguments', 'output_parsed'])

/** Returns a value without fields that are null: they say nothing, and do not count for the agent of a request. */
function plain(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (key, each: unknown) => (each === null || ADDED.has(key) ? undefined : each)) ??
      'null',
  )
}

/** Returns the message of a client's result, with its usage. */
function repeated(api: ModelApi, result: unknown): unknown {
  const { content, usage, choices, output } = asObject(result)
  if (api === 'messages') return plain({ role: 'assistant', content, usage })
  if (api === 'responses') return plain({ role: 'assistant', content: output, usage })
  return plain({ ...asObject(asObject(asArray(choices)[0]).message), usage })
}

describe('an answer that an official client has read', () => {
  it('is there for each API, whole and broken', () => {
    const apisOf = (list: readonly Recording[]) => APIS.filter((api) => list.some((each) => each.api === api))
    expect([apisOf(whole), apisOf(broken)]).toEqual([APIS, APIS])
  })

  it.each(named(whole))('%s is the same message here', (_, { api, stream, message }) => {
    const answer = readAnswer(api, stream)
    expect(plain(answer.message)).toEqual(repeated(api, message))
    expect(answer.isWhole).toBe(true)
  })

  it.each(named(broken))('%s has what the client had, and says that it is not whole', (_, recording) => {
    const { api, stream, message } = recording
    const answer = readAnswer(api, stream)
    expect(answer.isWhole).toBe(false)
    expect(plain(answer.message)).toMatchObject(asObject(repeated(api, message)))
  })

  it.each(named(recordings))('%s is the same wherever its bytes are cut', (_, { api, stream }) => {
    const answer = readAnswer(api, stream)
    fc.assert(
      fc.property(fc.array(fc.nat(stream.length)), (places) => {
        const cuts = [0, ...places.sort((one, other) => one - other), stream.length]
        const pieces = cuts.slice(1).map((end, at) => stream.subarray(cuts[at], end))
        expect(readAnswer(api, pieces)).toEqual(answer)
      }),
    )
  })

  // A stream ends with the connection: none of its beginnings may look whole.
  it.each(named(whole))('%s is not whole before its last event', (_, { api, stream }) => {
    const events = stream.toString().split('\n\n').slice(0, -1)
    const last = events.findIndex((event) => readAnswer(api, `${event}\n\n`).isWhole)
    for (let end = 0; end < events.length; end += 1)
      expect(readAnswer(api, events.slice(0, end).join('\n\n')).isWhole).toBe(end > last)
  })
})
