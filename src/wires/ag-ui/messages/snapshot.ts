import { addToList } from '../../../json/append.ts'
import { compositeKey } from '../../../json/composite-key.ts'
import { asArray, asObject, isString, type JsonObject } from '../../../json/values.ts'
import { subagentBlockId, toolUseIdOfBlock } from '../../../state/block.ts'
import { MAIN } from '../../../state/session.ts'
import { showAgent } from '../agents/agent-call.ts'
import { type AgUiContext, kindOf } from '../context.ts'
import { PLACEHOLDER } from '../ids.ts'
import type { KnownAgent, Place, ShownBlock } from '../memory.ts'
import { blockPlace, type MessagePart, partsOf, showPart } from './message.ts'
import { orderedIds } from './order.ts'

/** A part that is a block of its conversation. */
interface PlacedPart {
  readonly part: MessagePart
  readonly place: Place | undefined
}

/**
 * Takes over all messages of a server: known ones at their places, new ones where the snapshot has them. Those that it leaves out are gone.
 * Activities and reasoning stay unless the snapshot has any, because many servers do not keep them. Agents' conversations stay too.
 */
export function applySnapshot({ messages, metadata }: JsonObject, context: AgUiContext): void {
  const list = asArray(messages).map(asObject)
  // The sink makes the client forget all messages first.
  if (list.length === 1 && list[0]?.id === PLACEHOLDER) return
  const parts = list
    .flatMap((message) => partsOf(message, context))
    .map((part): PlacedPart => ({ part, place: blockPlace(part, context) }))
  // Without a run, a new message of the person would start a turn that nothing ends.
  const { status } = context.turn
  const isOwnTurn = status !== 'running' && parts.some((part) => isNewPrompt(part, context))
  if (isOwnTurn) context.startTurn()
  context.isHistory = true
  const shown = new Map<string, PlacedPart[]>()
  for (const each of parts) addToList(shown, each.part.place.conversationId, each)
  removeOmitted(parts, { list, metadata, conversations: shown.keys() }, context)
  const agents = agentsOf(shown, context)
  for (const [conversationId, own] of shown) {
    const known = knownIds(conversationId, agents.get(conversationId) ?? [], context)
    showConversation({ conversationId, known }, own, context)
  }
  context.isHistory = false
  if (!isOwnTurn) return
  context.endTurn({ outcome: status === 'idle' ? 'finished' : status })
  context.finalizeKnown(MAIN, 'complete')
}

function isNewPrompt({ part, place }: PlacedPart, context: AgUiContext): boolean {
  if (part.kind !== 'text' || part.message.role !== 'user' || place?.conversationId !== MAIN) return false
  return context.block(place) === undefined
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
  const tracked = new Set([MAIN, ...snapshot.conversations])
  const { blocks } = context.memory
  for (const known of owns.all ? blocks.values() : [...tracked].map((id) => blocks.get(id)))
    for (const { block } of known?.values() ?? [])
      if (!present.has(keyOf(block)) && owns.block(block)) context.forgetBlock(block)
  for (const { id, parentId, status, args } of context.memory.agents.values()) {
    if (parentId === undefined || args === undefined || !(owns.all || status === 'announced')) continue
    const place = { conversationId: parentId, id: subagentBlockId(id) }
    if (present.has(keyOf(place))) continue
    context.emit({ type: 'block:removed', conversationId: parentId, blockId: place.id })
    if (status === 'announced') context.removeEntry('agents', id)
  }
}

/** The rules of the protocol's client: which activities and reasoning a snapshot owns, so that it can remove them. */
function ownership({ list, metadata }: Snapshot) {
  const { authoritativeActivityTypes: types } = asObject(asObject(metadata)['@ag-ui/client'])
  const roles = new Set(list.map(({ role }) => role))
  const ownsActivity = (type: string) => {
    if (types === null) return true
    if (Array.isArray(types)) return types.filter(isString).includes(type)
    return types === undefined && roles.has('activity')
  }
  return {
    all: types === null,
    block(block: ShownBlock): boolean {
      const kind = kindOf(block)
      if (kind === 'thinking') return roles.has('reasoning')
      return kind !== 'activity' || ownsActivity(block.type === 'system' ? block.subtype : block.type)
    },
  }
}

/** A conversation with the ids of its known blocks. */
interface KnownConversation {
  readonly conversationId: string
  readonly known: readonly string[]
}

/** Shows the parts of a conversation. Blocks that are no longer in their order leave it and come again. */
function showConversation(
  { conversationId, known }: KnownConversation,
  own: readonly PlacedPart[],
  context: AgUiContext,
): void {
  const isKnown = new Set(known)
  // The result of a call may have any place behind the call.
  const placed = own.flatMap(({ part, place }) =>
    place && !(part.kind === 'result' && isKnown.has(place.id)) ? [place.id] : [],
  )
  const ordered = orderedIds(known, placed)
  const firstMoved = ordered.findIndex((id, at) => id !== known[at])
  const moved = firstMoved < 0 ? [] : known.slice(firstMoved)
  for (const blockId of moved) context.emit({ type: 'block:removed', conversationId, blockId })
  const byId = new Map(own.flatMap((each) => (each.place ? [[each.place.id, each]] : [])))
  const isMoved = new Set(moved)
  for (const id of ordered) {
    if (isMoved.has(id)) showAgain({ conversationId, id }, context)
    const part = byId.get(id)?.part
    if (part) showPart(part, context)
  }
  const isShown = new Set(ordered)
  for (const { part, place } of own) if (!place || !isShown.has(place.id)) showPart(part, context)
}

/** Returns the agents that work for the conversations, by conversation. */
function agentsOf(
  conversations: ReadonlyMap<string, unknown>,
  { memory }: AgUiContext,
): ReadonlyMap<string, readonly KnownAgent[]> {
  const agents = new Map<string, KnownAgent[]>()
  if (conversations.size === 0) return agents
  for (const agent of memory.agents.values()) {
    const { parentId } = agent
    if (parentId !== undefined && conversations.has(parentId)) addToList(agents, parentId, agent)
  }
  return agents
}

/** Returns the ids of the blocks of a conversation in their order, with those of the agents that work for it. */
function knownIds(
  conversationId: string,
  agents: readonly KnownAgent[],
  { memory }: AgUiContext,
): readonly string[] {
  const blocks = memory.blocks.get(conversationId)?.values() ?? []
  // A conversation that the snapshot has shown before may have taken the agent.
  const own = agents.filter(({ id }) => memory.agents.get(id)?.parentId === conversationId)
  return [
    ...blocks.map(({ block: { id }, order }) => ({ id, order })),
    ...own.map(({ id, order }) => ({ id: subagentBlockId(id), order })),
  ]
    .sort((left, right) => left.order - right.order)
    .map(({ id }) => id)
}

/** Shows a block at the end of its conversation. */
function showAgain(place: Place, context: AgUiContext): void {
  const known = context.block(place)
  const order = context.nextOrder()
  if (known) return context.show({ ...known, order })
  const agent = context.agent(toolUseIdOfBlock(place.id))
  if (agent) showAgent(context.updateAgent(agent.id, { order }), {}, context)
}

function keyOf({ conversationId, id }: Place): string {
  return compositeKey(conversationId, id)
}
