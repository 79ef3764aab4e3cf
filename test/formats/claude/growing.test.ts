import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { claudeSource } from '../../../src/formats/claude/source.ts'
import {
  createInitialConversationState,
  foldSessionEvents,
  type SessionConversationState,
  type SessionEvent,
} from '../../../src/index.ts'
import { earlierRecordings, messagesIn, type Recording, recordings, replay } from '../recordings.ts'

const recorded = [...recordings, ...earlierRecordings].filter(({ disk }) => disk.subagents.length > 0)
const withSubagents = [
  ...recorded,
  ...recorded.filter(({ name }) => name.startsWith('05')).map(withOnePrompt),
]

/** The session as it would be if its agents had been given the same prompt. */
function withOnePrompt(recording: Recording): Recording {
  const same = (text: string) => text.replaceAll(/Review src\/\w+\.js/g, 'Review src/add.js')
  const { main, subagents } = recording.disk
  const disk = {
    main: same(main),
    subagents: subagents.map((each) => ({ ...each, transcript: same(each.transcript) })),
  }
  return { ...recording, name: `${recording.name}, with one prompt`, disk }
}

// Whoever follows a session's files gets their lines as they come, and a subagent's file some time after its call.
describe.each(withSubagents)('the files of $name, followed as they grow', (recording) => {
  const atTheEnd = replay(recording.disk)
  const files = filesOf(recording)

  it('give the same state, however their lines are interleaved', () => {
    const order = fc.array(fc.nat(), { minLength: 10, maxLength: 200 })
    fc.assert(
      fc.property(order, (picks) => {
        const { state, ending, issues } = follow(interleaved(files, picks))
        expect({ ending, issues }).toEqual({ ending: atTheEnd.ending, issues: [] })
        expect(unordered(state)).toEqual(unordered(atTheEnd.state))
      }),
      { numRuns: 30 },
    )
  })

  it.each([
    ['last', [...files.slice(1), ...files.slice(0, 1)]],
    ['first', files],
  ])('give the same state when main’s comes %s', (_, ordered) => {
    expect(unordered(follow(ordered.flat()).state)).toEqual(unordered(atTheEnd.state))
  })
})

/** Main's messages, and those of each subagent, what is noted beside its file first. */
function filesOf({ disk: { main, subagents } }: Recording): readonly (readonly unknown[])[] {
  const others = subagents.map(({ id, transcript, meta }) => [
    ...(meta === undefined ? [] : [{ type: 'agent_meta', agentId: id, meta: JSON.parse(meta) }]),
    ...messagesIn(transcript),
  ])
  return [messagesIn(main), ...others]
}

/** Takes the next message of one file after the other, as the picks say, and what is left in order. */
function interleaved(files: readonly (readonly unknown[])[], picks: readonly number[]): readonly unknown[] {
  const queues = files.map((file) => [...file])
  const picked = picks.flatMap((pick) => queues[pick % queues.length]?.splice(0, 1) ?? [])
  return [...picked, ...queues.flat()]
}

function follow(messages: readonly unknown[]): {
  readonly state: SessionConversationState
  readonly ending: string
  readonly issues: readonly unknown[]
} {
  let memory = claudeSource.initial
  const events: SessionEvent[] = []
  const issues: unknown[] = []
  for (const message of messages) {
    const translated = claudeSource.translate(memory, message)
    memory = translated.memory
    events.push(...translated.events)
    issues.push(...translated.issues)
  }
  const end = claudeSource.end(memory)
  const folded = foldSessionEvents(createInitialConversationState(), [...events, ...end.events])
  return {
    state: folded.state,
    ending: end.ending,
    issues: [...issues, ...end.issues, ...folded.issues],
  }
}

/** The list of all subagents has the order in which they became known; their parents' blocks have that of the calls. */
function unordered(state: SessionConversationState): SessionConversationState {
  const subagents = [...state.subagents].sort((left, right) => (left.toolUseId < right.toolUseId ? -1 : 1))
  return { ...state, subagents }
}

// Killed while agents ran: their lines wait to the end, and may have come twice by then.
it.each(['04b-subagent-default of 2.0.77', '04b-subagent-default of 1.0.128'])(
  'takes lines that waited once, though they came twice: %s',
  (name) => {
    const { disk } = earlierRecordings.find((each) => each.name === name) ?? earlierRecordings[0] ?? raise()
    const lines = disk.main.split('\n')
    const end = lines.findIndex(
      (line) => line.includes('"toolUseResult"') && !line.includes('"isSidechain":true'),
    )
    const killed = lines.slice(0, end)
    const inline = killed.filter((line) => line.includes('"isSidechain":true'))
    const once = { ...disk, main: killed.join('\n') }
    const twice = {
      main: [...killed, ...inline].join('\n'),
      subagents: disk.subagents.map((each) => ({ ...each, transcript: each.transcript + each.transcript })),
    }
    expect(replay(twice).state).toEqual(replay(once).state)
    expect(replay(once).state.subagents[0]?.blocks.length).toBeGreaterThan(2)
  },
)

function raise(): never {
  throw new RangeError('no recording')
}
