import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { OpencodeMemory } from '../../../src/formats/opencode/memory.ts'
import { opencodeSource } from '../../../src/formats/opencode/source.ts'
import {
  createInitialConversationState,
  reduceSessionEvents,
  type SessionConversationState,
} from '../../../src/index.ts'
import { isPrompt } from '../../../src/state/block.ts'
import { notesOf, threadsOf } from '../recordings.ts'
import { answer, type Message, main, prompt, withEventIds } from './messages.ts'
import { recordings } from './recordings.ts'
import { sharedState, toExports } from './stored.ts'

interface Joined {
  readonly state: SessionConversationState
  readonly memory: OpencodeMemory
}

const nothing: Joined = { state: createInitialConversationState(), memory: opencodeSource.initial }

function follow({ state, memory }: Joined, message: unknown): Joined {
  const translated = opencodeSource.translate(memory, message)
  return { state: reduceSessionEvents(state, translated.events), memory: translated.memory }
}

const followAll = (start: Joined, messages: readonly unknown[]) => messages.reduce<Joined>(follow, start)

/** Returns the state at the end of the input, as far as live and stored sessions share it. */
function finish({ state, memory }: Joined): object {
  const { events, ending } = opencodeSource.end(memory)
  return { ...sharedState(reduceSessionEvents(state, events)), ending }
}

const finalIds = ({ state }: Joined) =>
  threadsOf(state).flatMap(({ blocks }) =>
    blocks.filter(({ status }) => status !== 'pending').map(({ id }) => id),
  )
const promptIds = ({ state }: Joined) =>
  threadsOf(state).flatMap(({ blocks }) => blocks.filter(isPrompt).map(({ id }) => id))

const messagesOf = (text: string): readonly unknown[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))

// The bus repeats what the export has. The note of an interruption and the error of a subagent were shown twice.
describe.each(recordings)('$name: the export, then the bus with the same memory', ({ events, disk }) => {
  const bus = messagesOf(events)
  const exported = [disk.main, ...disk.subagents.map(({ transcript }) => transcript)].map((text) =>
    JSON.parse(text),
  )
  const history = followAll(nothing, exported)
  const anyCut = fc.nat({ max: bus.length })

  it('adds nothing from any cut', () => {
    const expected = finish(history)
    for (const at of [...bus.keys(), bus.length])
      expect([at, finish(followAll(history, bus.slice(at)))]).toEqual([at, expected])
  })

  it('takes back no final block and no prompt on the way', () => {
    fc.assert(
      fc.property(anyCut, (at) => {
        const before = { final: finalIds(history), prompts: promptIds(history) }
        bus.slice(at).reduce<Joined>((joined, message) => {
          const next = follow(joined, message)
          expect(finalIds(next)).toEqual(expect.arrayContaining(before.final))
          expect(promptIds(next)).toEqual(before.prompts)
          return next
        }, history)
      }),
      { numRuns: 4 },
    )
  })

  it('equals the bus alone if the export is of any moment, and the bus repeats any number of events', () => {
    const expected = finish(followAll(nothing, bus))
    fc.assert(
      fc.property(anyCut, fc.nat({ max: 40 }), (moment, repeated) => {
        const early = followAll(nothing, toExports(bus.slice(0, moment)))
        expect(finish(followAll(early, bus.slice(Math.max(0, moment - repeated))))).toEqual(expected)
      }),
      { numRuns: 30 },
    )
  })
})

describe('an error of the session after an export', () => {
  const aborted: Message = { name: 'MessageAbortedError', data: { message: 'Aborted' } }
  const stopped = (id: string, parentID: string) => [
    main.assistantStart(id, { parentID }),
    main.failed(aborted),
    main.idle(),
    main.assistantEnd(id, { parentID, error: aborted }),
  ]
  const events = withEventIds([...prompt, ...stopped('msg_02', 'msg_01')])
  const notesAfter = (...live: readonly Message[]) => {
    const { state } = followAll(followAll(nothing, toExports(events)), live)
    return notesOf(state, 'interruption').map(({ id }) => id)
  }

  it('is the one of the message that the bus is at', () => {
    expect(notesAfter(...events)).toEqual(['msg_02:error'])
    expect(notesAfter(...events.slice(-3))).toEqual(['msg_02:error'])
  })

  it('is a new one in a new turn', () => {
    const again = [main.user('msg_03'), main.userText('msg_03', 'prt_03', 'Again.')]
    expect(notesAfter(...again, ...stopped('msg_04', 'msg_03'))).toEqual(['msg_02:error', 'msg_04:error'])
    expect(notesAfter(...again, main.failed(aborted), ...answer)).toHaveLength(2)
  })
})
