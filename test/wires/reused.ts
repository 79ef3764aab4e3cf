import { isDeepStrictEqual } from 'node:util'
import {
  type CallBlock,
  type ConversationBlock,
  isCall,
  messageIdOf,
  subagentBlockId,
  toolResultBlockId,
} from '../../src/core/state/block.ts'
import { MAIN } from '../../src/core/state/session.ts'
import type { ConversationThread, SessionConversationState } from '../../src/entries/index.ts'
import type { RecordedInput } from './inputs.ts'
import { wrongJoins } from './join-law.ts'

/** The wires that keep the ids of the model, and whose messages have names or times. Qwen Code and Kimi Code give each call an id of its own. */
const WIRES: ReadonlySet<string> = new Set(['claude-sdk', 'copilot', 'pi'])

/** Recordings that do not show a second call: a result comes before its call, or a call of a patch has no input. */
const UNSHOWN = /15-result-before-call|33-codex-apply-patch/

/** Whether the law holds for the recording, and not only for the first call of each agent, which may have the id of the call that started the agent. */
function keepsAll(input: RecordedInput): boolean {
  const { architecture, name } = input
  return (isNamed(input) || (architecture === 'acp' && name.endsWith(', log'))) && !UNSHOWN.test(name)
}

/** Other agents of ACP name no message of a call. A session from a state takes the second call for the first one that comes again. */
function isNamed({ architecture, name }: RecordedInput): boolean {
  return WIRES.has(architecture) || (architecture === 'acp' && name.includes('of Grok'))
}

/**
 * Returns where a wire breaks the law of reused ids: if a model uses the id of a call again in a later message, both calls are there as they were, and
 * the later one has the id of its message behind its own. The laws Save and Join hold for such a session as for any other.
 */
export function wrongReuses(input: RecordedInput, most: number): readonly string[] {
  const cuts = isNamed(input) ? most : 0
  const known = new Set(cuts > 0 ? wrongJoins(input, cuts) : [])
  return reusedInputs(input).flatMap((reused) => {
    const { source, messages, first, second, name } = reused
    const { state } = source.read(source.open(), messages).session
    const pair = `${name}: ${second.toolUseId} with the id ${first.toolUseId}`
    const isWhole = isDeepStrictEqual(comparable(state), comparable(withOwnId(reused, state)))
    const joins = isWhole && cuts > 0 ? wrongJoins(reused, cuts).filter((fault) => !known.has(fault)) : []
    return [...(isWhole ? [] : [pair]), ...joins.map((fault) => `${pair}, ${fault}`)]
  })
}

/** Texts and the program's own data keep the ids of the model. The input of a call whose id comes again does not stream, so its call may begin later. */
function comparable(state: SessionConversationState): unknown {
  const text = JSON.stringify(state, (name, value) =>
    name === 'permissionRequest' || name === 'timestamp' ? undefined : value,
  )
  return JSON.parse(text.replaceAll(/<tool-use-id>.*?<\/tool-use-id>/g, ''))
}

/** A recording in which a later call has the id of an earlier one. */
interface ReusedInput extends RecordedInput {
  /** The state of the recording as it was. */
  readonly whole: SessionConversationState
  readonly first: CallBlock
  readonly second: CallBlock
}

/** Returns the recording with a call's id in place of that of a later one, for each kind of two calls. */
function reusedInputs(input: RecordedInput): readonly ReusedInput[] {
  const { source, messages } = input
  const whole = source.read(source.open(), messages).session.state
  const threads = [whole, ...whole.subagents]
  const pairs = [...threads.flatMap(({ blocks }) => pairsIn(blocks)), ...nestedPairs(whole)]
  const text = JSON.stringify(messages)
  const isOfModel = ({ toolUseId }: CallBlock) => text.includes(JSON.stringify(toolUseId))
  const isWanted = ([first, second]: Pair) =>
    keepsAll(input) || (second.type === 'tool_use' && second.conversationId === first.toolUseId)
  return pairs
    .filter((pair) => pair.every(isOfModel) && isWanted(pair))
    .map(([first, second]) => ({
      ...input,
      whole,
      first,
      second,
      messages: withId(messages, second.toolUseId, first.toolUseId),
    }))
}

type Pair = readonly [first: CallBlock, second: CallBlock]

/** Returns a pair of calls for each kind of the two calls. The second call is of a later message, and comes after the result of the first one. */
function pairsIn(blocks: readonly ConversationBlock[]): readonly Pair[] {
  const pairs = new Map<string, Pair>()
  for (const [at, second] of blocks.entries()) {
    if (!isCall(second)) continue
    const before = blocks.slice(0, at)
    const first = before.find(
      (block): block is CallBlock => isCall(block) && isEarlier(block, second, before),
    )
    if (first) pairs.set(`${first.type} ${second.type}`, [first, second])
  }
  return [...pairs.values()]
}

function isEarlier(first: CallBlock, second: CallBlock, before: readonly ConversationBlock[]): boolean {
  const [own, other] = [messageIdOf(first), messageIdOf(second)]
  if (own === undefined || other === undefined)
    return own === other && before.some(({ id }) => id === toolResultBlockId(first.toolUseId))
  return own !== other
}

/** Returns calls of an agent, the first one of a tool and the first one of an agent, with the call of that agent. The ids of agents' calls name conversations of the whole session. */
function nestedPairs(state: SessionConversationState): readonly Pair[] {
  return state.subagents.flatMap(({ toolUseId, parentConversationId, blocks }) => {
    const first = threadOf(state, parentConversationId)?.blocks.find(
      ({ id }) => id === subagentBlockId(toolUseId),
    )
    const calls = [
      blocks.find(({ type }) => type === 'tool_use'),
      blocks.find(({ type }) => type === 'subagent'),
    ]
    return calls.flatMap((second): readonly Pair[] =>
      isCall(first) && isCall(second) && (second.type === 'tool_use' || isEarlier(first, second, []))
        ? [[first, second]]
        : [],
    )
  })
}

function threadOf(state: SessionConversationState, id: string | undefined): ConversationThread | undefined {
  return id === MAIN ? state : state.subagents.find(({ toolUseId }) => toolUseId === id)
}

function withId<Value>(value: Value, from: string, to: string): Value
function withId(value: unknown, from: string, to: string): unknown {
  const escaped = from.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  const pattern = new RegExp(`(?<![\\w-])${escaped}(?![\\w-])`, 'g')
  return JSON.parse(JSON.stringify(value).replace(pattern, () => to))
}

/** Returns the id that the second call has in a state of the recording with the reused id. */
function ownId(state: SessionConversationState, { second, whole }: ReusedInput): string | undefined {
  const { conversationId } = second
  const at = threadOf(whole, conversationId)?.blocks.findIndex(({ id }) => id === second.id) ?? -1
  const block = threadOf(state, conversationId)?.blocks[at]
  return isCall(block) ? block.toolUseId : undefined
}

/** Returns the state of the recording as it was, with the new id of the second call. */
function withOwnId(input: ReusedInput, state: SessionConversationState): SessionConversationState {
  const own = ownId(state, input)
  return own === undefined ? input.whole : withId(input.whole, input.second.toolUseId, own)
}
