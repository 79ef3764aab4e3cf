import { addToList, compositeKey } from '../../../core/json/lists.ts'
import { asArray, asObject, isString, type JsonObject } from '../../../core/json/values.ts'
import type { ConversationBlock } from '../../../core/state/block.ts'
import { MAIN } from '../../../core/state/session.ts'
import type { SessionOutput } from '../../../reading/context.ts'
import type { SessionLookups } from '../../../reading/lookups.ts'
import { isAnnounced } from '../agents/agent-call.ts'
import { type AgUiContext, kindOf } from '../context.ts'
import { PLACEHOLDER, type Place } from '../ids.ts'
import { blockPlace, type MessagePart, partsOf, showPart } from './parts.ts'

/** A part that is a block of its conversation. */
interface PlacedPart {
  readonly part: MessagePart
  readonly place: Place | undefined
}

/**
 * Takes over all messages of a server: known ones at their places, new ones where the snapshot has them. Those that
 * it leaves out are gone. Activities and reasoning stay unless the snapshot has any, because many servers do not keep
 * them. Agents' conversations stay too.
 */
export function applySnapshot({ messages, metadata }: JsonObject, context: AgUiContext): void {
  const list = asArray(messages).map(asObject)
  // The sink makes the client forget all messages first.
  if (list.length === 1 && list[0]?.id === PLACEHOLDER) return
  const parts = list
    .flatMap((message) => partsOf(message, context))
    .map((part): PlacedPart => ({ part, place: blockPlace(part, context) }))
  // Without a run, a new message of the person would start a turn that nothing ends.
  const { status } = context.state.turn
  const isOwnTurn = status !== 'running' && parts.some((part) => isNewPrompt(part, context.state))
  if (isOwnTurn) context.turn.start()
  context.isHistory = true
  const shown = new Map<string, PlacedPart[]>()
  for (const each of parts) addToList(shown, each.part.place.conversationId, each)
  removeOmitted(parts, { list, metadata, conversations: shown.keys() }, context)
  for (const [conversationId, own] of shown) showConversation(conversationId, own, context)
  context.isHistory = false
  if (!isOwnTurn) return
  context.turn.end({ outcome: status === 'idle' ? 'finished' : status })
  context.notes.removeEntry('repeats', MAIN)
}

function isNewPrompt({ part, place }: PlacedPart, state: SessionLookups): boolean {
  if (part.kind !== 'text' || part.message.role !== 'user' || place?.conversationId !== MAIN) return false
  return state.findBlock(MAIN, place.id) === undefined
}

interface Snapshot {
  readonly list: readonly JsonObject[]
  readonly metadata: unknown
  /** The conversations of its messages. */
  readonly conversations: Iterable<string>
}

/** Removes the blocks that a snapshot owns and leaves out. */
function removeOmitted(parts: readonly PlacedPart[], snapshot: Snapshot, context: AgUiContext): void {
  const present = new Set(parts.map(({ place }) => place && keyOf(place)))
  const owns = ownership(snapshot)
  const all = () => context.state.agents().map(({ toolUseId }) => toolUseId)
  for (const conversationId of new Set([MAIN, ...(owns.all ? all() : snapshot.conversations)]))
    for (const block of [...context.state.blocksOf(conversationId)])
      if (!present.has(keyOf(block)) && owns.block(block)) context.removeBlock(block)
}

/** The rules of the protocol's client: which activities and reasoning a snapshot owns, so that it can remove them. */
function ownership({ list, metadata }: Snapshot) {
  const facts = asObject(metadata)
  const { authoritativeActivityTypes: types } = asObject(facts['@ag-ui/client'])
  const roles = new Set(list.map(({ role }) => role))
  const ownsActivity = (type: string) => {
    if (types === null) return true
    if (Array.isArray(types)) return types.filter(isString).includes(type)
    return types === undefined && roles.has('activity')
  }
  return {
    all: types === null,
    block(block: ConversationBlock): boolean {
      // An agent without a call has no message. One that has started outlives its call.
      if (block.type === 'subagent') return isAnnounced(block) || (types === null && block.input !== '')
      const kind = kindOf(block)
      // The sink makes the client forget all reasoning first, and says so.
      if (kind === 'thinking') return roles.has('reasoning') || facts.hasReasoning === true
      return kind !== 'activity' || ownsActivity(block.type === 'system' ? block.subtype : block.type)
    },
  }
}

/** Shows the parts of a conversation. Blocks that are no longer in their order leave it and come again. */
function showConversation(conversationId: string, own: readonly PlacedPart[], context: AgUiContext): void {
  const known = context.state.blocksOf(conversationId).map(({ id }) => id)
  const isKnown = new Set(known)
  // The result of a call may have any place behind the call.
  const placed = own.flatMap(({ part, place }) =>
    place && !(part.kind === 'result' && isKnown.has(place.id)) ? [place.id] : [],
  )
  const ordered = orderedIds(known, placed)
  const firstMoved = ordered.findIndex((id, at) => id !== known[at])
  const moved = takeBlocks(conversationId, firstMoved < 0 ? known.length : firstMoved, context)
  const byId = new Map(own.flatMap((each) => (each.place ? [[each.place.id, each]] : [])))
  for (const id of ordered) {
    const block = moved.get(id)
    if (block) showAgain(block, context)
    const part = byId.get(id)?.part
    if (part) showPart(part, context)
  }
  const isShown = new Set(ordered)
  for (const { part, place } of own) if (!place || !isShown.has(place.id)) showPart(part, context)
}

/**
 * Removes the blocks of a conversation from an index on. Returns them by id: the removal of an agent that was only
 * announced removes the agent.
 */
function takeBlocks(
  conversationId: string,
  start: number,
  output: SessionOutput,
): ReadonlyMap<string, ConversationBlock> {
  const taken = output.state.blocksOf(conversationId).slice(start)
  for (const { id: blockId } of taken) output.emit({ type: 'block:removed', conversationId, blockId })
  return new Map(taken.map((block) => [block.id, block]))
}

/** Shows a block at the end of its conversation. */
function showAgain(block: ConversationBlock, context: AgUiContext): void {
  if (block.type !== 'subagent') return context.show(block)
  // An upsert with a final status would end an agent that was cut.
  const status = block.status === 'pending' || isAnnounced(block) ? 'pending' : 'running'
  context.upsert(block.conversationId, { ...block, status })
}

/**
 * Returns the ids of a conversation in the order of a snapshot. Known ids that the snapshot does not place stay
 * before the next known one that it places, or behind the last one.
 */
function orderedIds(known: readonly string[], placed: readonly string[]): readonly string[] {
  const wanted = new Set(placed)
  const before = new Map<string, readonly string[]>()
  let waiting: string[] = []
  let last: string | undefined
  for (const id of known) {
    if (!wanted.has(id)) {
      waiting.push(id)
      continue
    }
    before.set(id, waiting)
    waiting = []
    last = id
  }
  const ordered: (readonly string[])[] = last === undefined ? [waiting] : []
  for (const id of wanted) {
    ordered.push(before.get(id) ?? [], [id])
    if (id === last) ordered.push(waiting)
  }
  return ordered.flat()
}

function keyOf({ conversationId, id }: Place): string {
  return compositeKey(conversationId, id)
}
