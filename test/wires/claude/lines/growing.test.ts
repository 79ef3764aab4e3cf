import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { SessionConversationState } from '../../../../src/entries/index.ts'
import { claudeSource } from '../../../../src/wires/claude/source.ts'
import { runs } from '../../../depth.ts'
import { earlierRecordings, messagesIn, type Recording, recordings, replay } from '../../recordings.ts'

const recorded = [...recordings, ...earlierRecordings].filter(({ disk }) => disk.subagents.length > 0)
const withSubagents = [
  ...recorded,
  ...recorded.filter(({ name }) => name.startsWith('05')).map(withOnePrompt),
]

/** The session with the same prompt for all agents. */
function withOnePrompt(recording: Recording): Recording {
  const same = (text: string) => text.replaceAll(/Review src\/\w+\.js/g, 'Review src/add.js')
  const { main, subagents } = recording.disk
  const disk = {
    main: same(main),
    subagents: subagents.map((each) => ({ ...each, transcript: same(each.transcript) })),
  }
  return { ...recording, name: `${recording.name}, with one prompt`, disk }
}

// A reader that follows a session's files gets lines as the program writes them. A subagent's file appears after its call.
describe.each(withSubagents)('the files of $name, followed as they grow', (recording) => {
  const atTheEnd = replay(recording.disk)
  const files = filesOf(recording)
  const begin = recording.name.endsWith('one prompt') ? callsOf(files) : []

  it('give the same state, however their lines are interleaved', () => {
    const order = fc.array(fc.nat(), { minLength: 10, maxLength: 200 })
    fc.assert(
      fc.property(order, (picks) => {
        const { state, ending, issues } = follow([...begin, ...interleaved(files, picks)])
        expect({ ending, issues }).toEqual({ ending: atTheEnd.ending, issues: [] })
        expect(unordered(state)).toEqual(unordered(atTheEnd.state))
      }),
      { numRuns: runs(30) },
    )
  })

  it.each([
    ['last', [...files.slice(1), ...files.slice(0, 1)]],
    ['first', files],
  ])('give the same state when main’s comes %s', (_, ordered) => {
    expect(unordered(follow(ordered.flat()).state)).toEqual(unordered(atTheEnd.state))
  })
})

/** Main's messages and those of each subagent. A subagent's meta file comes first. */
function filesOf({ disk: { main, subagents } }: Recording): readonly (readonly unknown[])[] {
  const others = subagents.map(({ id, transcript, meta }) => [
    ...(meta === undefined ? [] : [{ type: 'agent_meta', agentId: id, meta: JSON.parse(meta) }]),
    ...messagesIn(transcript),
  ])
  return [messagesIn(main), ...others]
}

/**
 * Takes main's lines up to its last call of an agent. If several calls have one prompt, a reader has to read all of
 * them before the lines of their agents, as the program writes them.
 */
function callsOf([main = []]: readonly (readonly unknown[])[]): readonly unknown[] {
  return main.slice(0, main.findLastIndex((line) => JSON.stringify(line).includes('"subagent_type"')) + 1)
}

/** Takes the next message of the file that each pick names, then the remaining messages in order. */
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
  let session = claudeSource.open()
  const issues: unknown[] = []
  for (const message of messages) {
    const reading = claudeSource.read(session, [message])
    session = reading.session
    issues.push(...reading.issues)
  }
  const end = claudeSource.end(session)
  return { state: end.session.state, ending: end.ending, issues: [...issues, ...end.issues] }
}

/** The subagents are listed in the order in which they became known, but their blocks are in the order of the calls. */
function unordered(state: SessionConversationState): SessionConversationState {
  const subagents = [...state.subagents].sort((left, right) => (left.toolUseId < right.toolUseId ? -1 : 1))
  return { ...state, subagents }
}

// The program was killed while agents ran: their lines wait until the end, and the buffer may hold a line twice.
it.each(['04b-subagent-default of 2.0.77', '04b-subagent-default of 1.0.128'])(
  'translates a buffered line once, even if it arrived twice: %s',
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
