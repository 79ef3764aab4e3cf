import { type SessionConversationState, sessionStatus } from '../../../src/entries/index.ts'
import type { Ending } from '../../../src/entries/source-kit.ts'
import type { RecordedInput } from '../inputs.ts'
import type { StatusOracle } from './oracle.ts'
import { oracleFor } from './oracles.ts'

/** Returns what is wrong with the end of an input that is cut at each place, or at every so many. */
export function wrongEnds(input: RecordedInput, every = 1): readonly string[] {
  const oracle = oracleFor(input)
  const wrong: string[] = []
  let session = input.source.open()
  for (const [index, message] of [undefined, ...input.messages].entries()) {
    if (index > 0) {
      session = input.source.read(session, [message]).session
      oracle.read(message)
    }
    if (index % every > 0 && index < input.messages.length) continue
    const { session: last, ending } = input.source.end(session)
    const ended = { before: session.state, after: last.state, ending }
    for (const fault of faultsOf(ended, oracle)) wrong.push(`${index} messages: ${fault}`)
  }
  return wrong
}

interface Ended {
  readonly before: SessionConversationState
  readonly after: SessionConversationState
  readonly ending: Ending
}

function faultsOf({ before, after, ending }: Ended, oracle: StatusOracle): readonly string[] {
  const { status } = after.turn
  const isInterrupted = ending === 'interrupted'
  // The one exception of the law: a stored session that waits for a person is open.
  if (sessionStatus(after) === 'waiting' && ending === 'open') return []
  // A subagent's block has the status of its agent.
  const pending = after.blocks.filter((block) => block.status === 'pending' && block.type !== 'subagent')
  const faults = {
    'main still runs': status === 'running',
    'the ending and the turn differ': isInterrupted !== (status === 'interrupted'),
    'a block of main is pending': pending.length > 0,
    'nothing ran': isInterrupted && !hasWork(before) && !hasWork(after),
    'something ran': !isInterrupted && !canEnd(before, oracle),
  }
  return Object.entries(faults).flatMap(([fault, isFound]) =>
    isFound ? `${fault} (${ending}, ${status})` : [],
  )
}

/** Whether something runs or was stopped. The lines of an agent may wait for its call until the end. */
function hasWork({ turn, subagents }: SessionConversationState): boolean {
  const areBusy = subagents.some(({ status }) => status === 'running' || status === 'pending')
  return areBusy || turn.status === 'running' || turn.status === 'interrupted'
}

/** Whether the raw messages allow that the session is over here. */
function canEnd({ turn }: SessionConversationState, { hasAnswered }: StatusOracle): boolean {
  const isBusy = turn.status === 'running' && !hasAnswered
  return !isBusy && turn.status !== 'interrupted'
}
