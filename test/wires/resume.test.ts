import { isDeepStrictEqual } from 'node:util'
import { describe, it } from 'vitest'
import { type ConversationBlock, isPrompt } from '../../src/core/state/block.ts'
import type { Session } from '../../src/reading/source.ts'
import { depth, isThorough } from '../depth.ts'
import { expectSame } from '../expect-same.ts'
import { inputs, type RecordedInput } from './inputs.ts'
import { contentOf, cutsOf, hasAllInState } from './join-law.ts'

/** The recordings from their beginning. */
const recordings = inputs.filter(({ name }) => !/, late |40-all-line-types/.test(name))

/** Returns the sessions before and after each message. */
function follow({ source, messages }: RecordedInput, start: Session, from = 0): readonly Session[] {
  const sessions = [start]
  let session = start
  for (const message of messages.slice(from)) {
    session = source.read(session, [message]).session
    sessions.push(session)
  }
  return sessions
}

/** The sessions of the last recording: the laws of one recording run one after the other. */
let last: { readonly input: RecordedInput; readonly sessions: readonly Session[] } | undefined

function begin(input: RecordedInput): readonly Session[] {
  if (last?.input !== input) last = { input, sessions: follow(input, input.source.open()) }
  return last.sessions
}

/** At some places in these recordings, the state alone lacks what docs/reopening.md names. Places where a message waits are not read at all. */
const INEXACT: readonly RegExp[] = [
  // The chunks of an agent's prompt, in Grok's files and on its connection.
  /^acp, 09c-background-acp, .* of Grok/,
  // A process of `codex exec` has written nothing.
  /^codex, 16-interrupt, exec/,
  // A state does not say whether its file has reports. So an entry waits for the next line.
  /^codex, 0[17]-codex-rollout, public/,
  // A summary has begun without a block.
  /^opencode, 10-compact, events/,
  // A version without times removes a part of a prompt. No block has the ids of the parts.
  /^opencode, 07-opencode-bus, public/,
  // A later entry of the file's tree hangs on one whose id no block has.
  /^pi, 15b-tree, store/,
  // A later line goes back to a prompt, and no block has the ids of prompts in chats.
  /^gemini, 15c-rewind, tui-store/,
  // Behind the state, a stream shows nothing until a line is new. So an agent that a killed process left ends some lines later.
  /^qwen, 13c-killed-resume, stream/,
]

const isExact = ({ name }: RecordedInput) => !INEXACT.some((pattern) => pattern.test(name))

describe.each(recordings)('$name', (input) => {
  it.runIf(isExact(input))('goes on from a state alone as without a cut', () => {
    const sessions = begin(input)
    for (const cut of cutsOf(input, depth({ few: 1, all: 4 }))) {
      const session = sessions[cut]
      if (!session || !hasAllInState(input, session, cut)) continue
      const resumed = follow(input, input.source.open(session.state), cut)
      for (const [after, session] of resumed.entries())
        if (isThorough || after === resumed.length - 1)
          expectEqual(session, sessions[cut + after], {
            recording: input.name,
            cut: `${cut}, message ${cut + after}`,
          })
    }
  })

  it('resumes a session that its use does not change', () => {
    const { source, messages } = input
    const sessions = begin(input)
    for (const cut of cutsOf(input, depth({ few: 1, all: 2 }))) {
      const resumed = source.open(sessions[cut]?.state)
      const [first, second] = [1, 2].map(() => source.read(resumed, messages.slice(cut)))
      expectSame(second?.events, first?.events, { recording: input.name, cut })
    }
  })

  it('leaves nothing of a killed process open when the next one begins with a prompt', () => {
    const sessions = begin(input)
    for (const { open, from, to } of nextTurns(input, sessions)) {
      const { session, ending } = input.source.end(open)
      if (ending === 'open') continue // the file waits for the person
      const were = open.state.blocks.filter(isOpenWork).map(({ id }) => id)
      for (const start of [session, input.source.open(session.state)]) {
        const { state } = input.source.read(start, input.messages.slice(from, to)).session
        const still = state.blocks.filter((block) => isOpenWork(block) && were.includes(block.id))
        expectSame(still, [], { recording: input.name, cut: `prompt ${to - 1}` })
      }
    }
  })
})

const isOpenWork = ({ status, type }: ConversationBlock) =>
  status === 'pending' && type !== 'system' && type !== 'user_message'

interface NextTurn {
  /** The last session in which an earlier turn had an open block. */
  readonly open: Session
  /** The messages from the end of the turn before, or its answer, to the prompt. */
  readonly from: number
  readonly to: number
}

/** Returns each turn that begins with a prompt, and not with work. */
function nextTurns({ messages }: RecordedInput, sessions: readonly Session[]): readonly NextTurn[] {
  const turns: NextTurn[] = []
  let open: Session | undefined
  let from = 0
  for (const [at, before] of sessions.slice(0, messages.length).entries()) {
    const { blocks, turn } = before.state
    if (turn.status !== 'running') from = at
    else if (blocks.some(isOpenWork)) open = before
    const added = sessions[at + 1]?.state.blocks.slice(blocks.length) ?? []
    if (open && from >= 0 && added.some(isPrompt)) turns.push({ open, from, to: at + 1 })
    if (added.some(({ type }) => type !== 'system')) from = -1
  }
  return turns
}

function expectEqual(
  actual: Session | undefined,
  expected: Session | undefined,
  place: { readonly recording: string; readonly cut: string },
): void {
  const [left, right] = [actual, expected].map((session) => session && contentOf(session.state))
  expectSame(left, right, place)
}

describe.each(recordings.filter(({ name }) => /, (stream|events|app-server|log)$/.test(name)))(
  '$name',
  (input) => {
    it('ends as without a cut if the last messages come again', () => {
      const sessions = begin(input)
      const whole = sessions.at(-1)
      for (const cut of cutsOf(input, depth({ few: 1, all: 3 }))) {
        const session = sessions[cut]
        if (!session || !whole) throw new RangeError('the cut is within the recording')
        const from = repeatedFrom(input, cut)
        const kept = follow(input, session, from).at(-1)
        // Some messages have no ids. Then no session knows that they come again.
        if (!kept || !isDeepStrictEqual(contentOf(kept.state), contentOf(whole.state))) continue
        const resumed = follow(input, input.source.open(session.state), from).at(-1)
        expectEqual(resumed, whole, { recording: input.name, cut: `${cut} of ${input.messages.length}` })
      }
    })
  },
)

/** Returns the first message that comes again. Only the prompt of a turn shows that chunks of ACP come again. */
function repeatedFrom({ name, messages }: RecordedInput, cut: number): number {
  if (!name.startsWith('acp')) return Math.max(0, cut - 5)
  const prompt = messages
    .slice(0, cut)
    .findLastIndex((message) => /"session\/prompt"/.test(JSON.stringify(message)))
  return prompt < 0 ? cut : prompt
}
