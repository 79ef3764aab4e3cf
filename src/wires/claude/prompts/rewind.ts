import { withChanges } from '../../../core/json/fields.ts'
import { asObject, asString, type JsonObject } from '../../../core/json/values.ts'
import type { BlockOf } from '../../../core/state/block.ts'
import { MAIN } from '../../../core/state/session.ts'
import type { SessionLookups } from '../../../reading/lookups.ts'
import { abandonBlocks } from '../../kit/abandon.ts'
import { abandonUnstartedAgent } from '../agents/agent-run.ts'
import type { Line } from '../lines/line.ts'
import { isPromptLine, placeOf } from '../lines/line-tree.ts'
import type { ClaudeContext, LinePlace } from '../notes.ts'

/**
 * Takes back an abandoned branch of main's file. A person who rewinds, or takes a prompt back before its answer,
 * writes another prompt in the place of an earlier one. Both stay in the file. The earlier one begins an abandoned
 * branch if both hang on the same message of the model, or on none, and the new prompt is no descendant of the
 * earlier one.
 *
 * The tree also branches without a rewind. Results of parallel calls hang on their calls. A resumed program leaves
 * out a call without a result, but no prompt.
 */
export function takeBackBranch(line: Line, context: ClaudeContext): void {
  const place = isPromptLine(line) ? placeOf(line, context) : undefined
  if (place?.parent === undefined) return
  const from = context.notes.values.promptsByAnchor.get(place.anchor)
  if (from === undefined || from === place.firstPrompt) return
  abandonBranch(
    line,
    { from, kept: ancestorsUpToAnchor(place, context.notes.values), id: line.uuid ?? '', to: place.parent },
    context,
  )
  if (place.firstPrompt !== undefined)
    context.notes.setEntry('promptsByAnchor', place.anchor, place.firstPrompt)
  context.notes.remember({ lastLine: place.parent })
}

/**
 * Takes back the branch that a client of the Agent SDK has rewound. From 2.1.280 on, main's file has a line for it at
 * once, with the uuid of the first prompt that is cut.
 */
export function takeBackMarked(line: Line, context: ClaudeContext): void {
  const { rewound, cutUuid, leafUuid } = line.raw
  if (rewound === true) cutBranch(line, { from: cutUuid, to: leafUuid }, context)
}

/** Takes back the branch that the answer to such a client names. It is the only sign in a stream. */
export function takeBackAnswered(line: Line, context: ClaudeContext): void {
  const { rewound, targetMessageUuid, precedingAssistantUuid } = asObject(
    asObject(line.raw.response).response,
  )
  if (rewound === true) cutBranch(line, { from: targetMessageUuid, to: precedingAssistantUuid }, context)
}

function cutBranch(
  line: Line,
  cut: { readonly from: unknown; readonly to: unknown },
  context: ClaudeContext,
): void {
  const [from, to] = [asString(cut.from) ?? '', asString(cut.to)]
  if (!context.state.findBlock(MAIN, from)) return
  abandonBranch(line, { from, kept: new Set(), id: from, to }, context)
  if (context.notes.values.lastLine !== undefined) context.notes.remember({ lastLine: to })
}

interface Rewind {
  /** The id of the first abandoned prompt. */
  readonly from: string
  /** The lines of the new branch that are there already. */
  readonly kept: ReadonlySet<string>
  /** The line that the mark is named after. */
  readonly id: string
  /** The line that the new branch hangs on. */
  readonly to: string | undefined
}

function abandonBranch(line: Line, { from, kept, id, to }: Rewind, context: ClaudeContext): void {
  const { lastLine, places, promptsByAnchor } = context.notes.values
  const blockIds = blocksFrom(from, context.state).filter((blockId) => !kept.has(blockId))
  for (const blockId of blockIds) abandonUnstartedAgent(blockId, context)
  for (const prompt of [from, ...blockIds]) {
    const anchor = places.get(prompt)?.anchor ?? ''
    if (promptsByAnchor.get(anchor) === prompt) context.notes.removeEntry('promptsByAnchor', anchor)
  }
  const data = { from: lastLine, to: to || null, blockIds }
  abandonBlocks({ id: markId(id), blockIds, data, timestamp: line.timestamp }, context)
}

/** Returns the blocks of main from a prompt on. The mark of an earlier rewind belongs to the prompt after it. */
function blocksFrom(prompt: string, state: SessionLookups): readonly string[] {
  const ids: string[] = []
  if (!state.findBlock(MAIN, prompt)) return ids
  for (const { id } of state.blocksFromEnd(MAIN)) {
    const isBefore = ids.at(-1) === prompt
    if (!isBefore || id === markId(prompt)) ids.push(id)
    if (isBefore) break
  }
  return ids.reverse()
}

function markId(uuid: string): string {
  return `rewind:${uuid}`
}

/** Returns the ancestors of a prompt between it and its anchor. */
function ancestorsUpToAnchor(
  { anchor, parent }: LinePlace,
  notes: ClaudeContext['notes']['values'],
): ReadonlySet<string> {
  const ancestors = new Set<string>()
  for (let uuid = parent; uuid !== undefined && !ancestors.has(uuid); ) {
    const place = notes.places.get(uuid)
    if (place?.anchor !== anchor) break
    ancestors.add(uuid)
    uuid = place.parent
  }
  return ancestors
}

/** Adds a user message. The program may have saved the files before it, so that the person can go back to them. */
export function upsertUserMessage(block: BlockOf<'user_message'>, context: ClaudeContext): void {
  const { conversationId, id } = block
  const isCheckpoint = conversationId === MAIN && context.notes.values.checkpoints.get(id) !== undefined
  const message = isCheckpoint ? withChanges(block, { checkpoint: true }) : block
  context.upsert(conversationId, message)
  if (isCheckpoint) context.notes.removeEntry('checkpoints', id)
}

/**
 * Marks the message before which the program saved the files. The snapshot may stand before or after the message. Its
 * updates have the id of a later line, and name the message inside.
 */
export function translateFileSnapshot(raw: JsonObject, context: ClaudeContext): void {
  const id = asString(asObject(raw.snapshot).messageId) ?? asString(raw.messageId)
  if (id === undefined) return
  const message = context.state.findBlock(MAIN, id)
  if (message?.type !== 'user_message') context.notes.setEntry('checkpoints', id, true)
  else if (!message.checkpoint) context.upsert(MAIN, withChanges(message, { checkpoint: true }))
}
