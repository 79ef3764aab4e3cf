import { isEqual } from '../../../core/json/equal.ts'
import type {
  AnswerTextPart,
  ReasoningPart,
  SessionUIMessage,
  SessionUIMetadata,
  SessionUIPart,
} from '../messages/ui-message.ts'
import { toolChunks } from './tool-chunks.ts'
import type { SessionUIChunk } from './ui-chunk.ts'

/** Returns the chunks that make the whole message. */
export function startChunks({ id, metadata, parts }: SessionUIMessage): readonly SessionUIChunk[] {
  const start = { type: 'start', messageId: id, messageMetadata: metadata } as const
  return [start, ...parts.flatMap((part) => partChunks(undefined, part, true) ?? [])]
}

/**
 * Returns the chunks that turn a message into another one with the same id, or undefined if none do. A stream can
 * append parts, let texts grow, and change calls and data. It takes nothing back.
 */
export function changeChunks(
  before: SessionUIMessage,
  after: SessionUIMessage,
): readonly SessionUIChunk[] | undefined {
  const chunks: SessionUIChunk[] = []
  const lastStep = before.parts.findLastIndex(({ type }) => type === 'step-start')
  for (let at = 0; at < after.parts.length; at += 1) {
    const [known, part] = [before.parts[at], after.parts[at]]
    if (known === part || !part) continue
    const changes = partChunks(known, part, known === undefined || at > lastStep)
    if (!changes) return undefined
    for (const chunk of changes) chunks.push(chunk)
  }
  if (before.parts.length > after.parts.length) return undefined
  if (before.metadata === after.metadata) return chunks
  if (!isMergeable(before.metadata, after.metadata)) return undefined
  return [
    ...chunks,
    { type: 'message-metadata', messageMetadata: changedFacts(before.metadata, after.metadata) },
  ]
}

/** Returns the chunks that add the part, or turn the known part into it. Undefined if none do. */
function partChunks(
  known: SessionUIPart | undefined,
  part: SessionUIPart,
  isInLastStep: boolean,
): readonly SessionUIChunk[] | undefined {
  switch (part.type) {
    case 'step-start':
      return known ? sameOnly(known, part) : [{ type: 'start-step' }]
    case 'text':
    case 'reasoning':
      return isGrowing(part) ? textChunks(known, part) : undefined
    case 'dynamic-tool':
      if (known && (known.type !== part.type || known.toolCallId !== part.toolCallId)) return undefined
      return toolChunks(known, part, isInLastStep)
    case 'file':
      // Only a message of the person has files.
      return undefined
    default:
      if (known && (known.type !== part.type || known.id !== part.id)) return undefined
      return [{ ...part }]
  }
}

function sameOnly(known: SessionUIPart, part: SessionUIPart): readonly never[] | undefined {
  return known.type === part.type ? [] : undefined
}

type Growing = AnswerTextPart | ReasoningPart

/** The texts of the model grow. */
function isGrowing(part: SessionUIPart): part is Growing {
  return 'state' in part && (part.type === 'text' || part.type === 'reasoning')
}

function textChunks(known: SessionUIPart | undefined, part: Growing): readonly SessionUIChunk[] | undefined {
  const { type, text, state, providerMetadata } = part
  const id = providerMetadata.agentfold.blockId
  if (!known) {
    const start: SessionUIChunk = { type: `${type}-start`, id, providerMetadata }
    const grown: readonly SessionUIChunk[] = text === '' ? [] : [{ type: `${type}-delta`, id, delta: text }]
    return state === 'done' ? [start, ...grown, { type: `${type}-end`, id }] : [start, ...grown]
  }
  if (!isGrowing(known) || !canBecome(known, part)) return undefined
  const facts = isEqual(known.providerMetadata, providerMetadata) ? {} : { providerMetadata }
  if (state === 'streaming')
    return [{ type: `${type}-delta`, id, delta: text.slice(known.text.length), ...facts }]
  const end: SessionUIChunk = { type: `${type}-end`, id, ...facts }
  return text === known.text
    ? [end]
    : [{ type: `${type}-delta`, id, delta: text.slice(known.text.length) }, end]
}

/** A text that is done never grows. */
function canBecome(known: Growing, { type, text, providerMetadata }: Growing): boolean {
  return (
    known.type === type &&
    known.state === 'streaming' &&
    known.providerMetadata.agentfold.blockId === providerMetadata.agentfold.blockId &&
    text.startsWith(known.text)
  )
}

/** The reader merges metadata: a fact that goes away stays. */
function isMergeable(before: SessionUIMetadata, after: SessionUIMetadata): boolean {
  return Object.keys(before).every((key) => Object.hasOwn(after, key))
}

function changedFacts(before: SessionUIMetadata, after: SessionUIMetadata): Partial<SessionUIMetadata> {
  const known = new Map<string, unknown>(Object.entries(before))
  return Object.fromEntries(Object.entries(after).filter(([key, value]) => known.get(key) !== value))
}
