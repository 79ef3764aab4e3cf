import { describe, expect, it } from 'vitest'
import { pendingRequests } from '../../../src/entries/index.ts'
import type { Session } from '../../../src/reading/source.ts'
import { depth } from '../../depth.ts'
import type { RecordedInput } from '../inputs.ts'
import { sessions } from './recorded.ts'

/** A message that asks the person, and the sessions before each message of its input. */
interface Asked {
  readonly input: RecordedInput
  readonly before: readonly Session[]
  readonly at: number
}

const openIn = ({ state }: Session) => pendingRequests(state).length

// The lines of a file wait for those above them, and a late reader has lost messages already.
const asked: readonly Asked[] = sessions
  .filter(({ name }) => !/, (?:late|files|public)/.test(name))
  .flatMap((input) => {
    const before = [input.source.open()]
    return input.messages.flatMap((message, at) => {
      const session = before[at] ?? input.source.open()
      const { session: after } = input.source.read(session, [message])
      before.push(after)
      return openIn(after) > openIn(session) ? [{ input, before, at }] : []
    })
  })

// A page showed no button, and the program waited for ever: no message had named the agent before its request.
describe.each(asked)('$input.name: message $at', ({ input: { messages, source }, before, at }) => {
  it('shows its request until the answer, whichever earlier message is lost', () => {
    const countAt = (end: number) => openIn(before[end] ?? source.open())
    const [shown, left] = [countAt(at + 1), countAt(messages.length)]
    for (let lost = Math.max(0, at - depth({ few: 6, all: 300 })); lost < at; lost += 1) {
      const asks = source.read(before[lost] ?? source.open(), messages.slice(lost + 1, at + 1)).session
      // The lost message may be the answer to an earlier request.
      expect(openIn(asks), `without ${lost}`).toBeGreaterThanOrEqual(shown)
      expect(openIn(source.read(asks, messages.slice(at + 1)).session), `without ${lost}`).toBe(left)
    }
  })

  it('shows its request without any one field, but those that make it a request', () => {
    const session = before[at] ?? source.open()
    const isHidden = (message: unknown) => openIn(source.read(session, [message]).session) <= openIn(session)
    const hidden = withoutOneField(messages[at]).filter(([, message]) => isHidden(message))
    expect(hidden.flatMap(([name]) => (NEEDED.test(name) ? [] : name))).toEqual([])
  })
})

/** The names of the message, its own id and its session. */
const NEEDED =
  /^(?:msg|dir|type|subtype|method|event|request|permissionRequest|properties|params|payload|data|id|(?:request|question|session)_?id)$/i

function withoutOneField(value: unknown): readonly (readonly [string, unknown])[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return []
  return Object.entries(value).flatMap(([name, field]) => [
    [name, Object.fromEntries(Object.entries(value).filter(([each]) => each !== name))] as const,
    ...withoutOneField(field).map(([inner, other]) => [inner, { ...value, [name]: other }] as const),
  ])
}

it('has requests of all wires that ask', () => {
  const names = new Set(asked.map(({ input }) => input.architecture))
  expect([...names].sort().join()).toBe('acp,claude-sdk,codex,copilot,kimi,opencode,pi,qwen')
})
