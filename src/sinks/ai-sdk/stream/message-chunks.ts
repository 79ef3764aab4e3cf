import { isEqual } from '../../../core/json/equal.ts'
import { omitUndefined } from '../../../core/json/fields.ts'
import type {
  AnswerTextPart,
  Approval,
  OpenApproval,
  ReasoningPart,
  SessionUIMessage,
  SessionUIMetadata,
  SessionUIPart,
  ToolPart,
} from '../messages/ui-message.ts'
import type { SessionUIChunk, ToolChunk } from './ui-chunk.ts'

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

/**
 * Returns the chunks that turn the part of a call into another one, or undefined if none do. `isInLastStep`: the
 * reader finds the input of a call in the last step alone.
 */
function toolChunks(
  before: ToolPart | undefined,
  after: ToolPart,
  isInLastStep: boolean,
): readonly ToolChunk[] | undefined {
  if (before && 'resultProviderMetadata' in before && !('resultProviderMetadata' in after)) return undefined
  if (after.state === 'input-streaming') return streamingChunks(before, after, isInLastStep)
  const needsInput = !before || hasOtherInput(before, after) || mustReset(before, after)
  if (needsInput && !isInLastStep) return undefined
  const approval = approvalChunks(approvalOf(before), approvalOf(after), after.toolCallId)
  const known = needsInput ? undefined : before
  const end = approval && endChunks(known, after, stateAfter(approval) ?? known?.state ?? 'input-available')
  return end && [...(needsInput ? [inputChunk(after)] : []), ...approval, ...end]
}

function streamingChunks(
  before: ToolPart | undefined,
  { toolCallId, toolName, callProviderMetadata, ...after }: ToolPart & { readonly state: 'input-streaming' },
  isInLastStep: boolean,
): readonly ToolChunk[] | undefined {
  const { rawInput = '' } = after
  if (!before) {
    const start = {
      type: 'tool-input-start',
      toolCallId,
      toolName,
      dynamic: true,
      providerMetadata: callProviderMetadata,
    } as const
    return rawInput === '' ? [start] : [start, delta(toolCallId, rawInput)]
  }
  if (!isInLastStep || before.state !== 'input-streaming' || before.toolName !== toolName) return undefined
  const known = before.rawInput ?? ''
  if (!rawInput.startsWith(known) || !isEqual(before.callProviderMetadata, callProviderMetadata))
    return undefined
  return rawInput === known ? [] : [delta(toolCallId, rawInput.slice(known.length))]
}

function delta(toolCallId: string, inputTextDelta: string): ToolChunk {
  return { type: 'tool-input-delta', toolCallId, inputTextDelta }
}

function hasOtherInput(before: ToolPart, after: ToolPart): boolean {
  return (
    before.state === 'input-streaming' ||
    before.toolName !== after.toolName ||
    !isEqual(before.input, after.input) ||
    !isEqual(before.callProviderMetadata, after.callProviderMetadata)
  )
}

/** A call that waits again loses its output with its input. */
function mustReset(before: ToolPart, after: ToolPart): boolean {
  return isOutput(before) && !isOutput(after)
}

function isOutput({ state }: ToolPart): boolean {
  return state === 'output-available' || state === 'output-error'
}

function inputChunk({ toolCallId, toolName, input, callProviderMetadata }: ToolPart): ToolChunk {
  return {
    type: 'tool-input-available',
    toolCallId,
    toolName,
    input,
    dynamic: true,
    providerMetadata: callProviderMetadata,
  }
}

/** Nothing takes an approval back. */
function approvalChunks(
  before: Approval<boolean> | OpenApproval | undefined,
  after: Approval<boolean> | OpenApproval | undefined,
  toolCallId: string,
): readonly ToolChunk[] | undefined {
  if (isEqual(before, after)) return []
  if (!after || (before && ('approved' in before || before.id !== after.id))) return undefined
  const { id: approvalId } = after
  const request = { type: 'tool-approval-request', toolCallId, approvalId } as const
  const chunks: ToolChunk[] = before ? [] : [request]
  if (!('approved' in after)) return chunks
  const { approved, reason } = after
  return [...chunks, omitUndefined({ type: 'tool-approval-response', approvalId, approved, reason })]
}

function approvalOf(part: ToolPart | undefined): Approval<boolean> | OpenApproval | undefined {
  return part && 'approval' in part ? part.approval : undefined
}

/** Returns the state that the chunks lead to, if there are any. */
function stateAfter(approval: readonly ToolChunk[]): ToolPart['state'] | undefined {
  const last = approval.at(-1)
  if (!last) return undefined
  return last.type === 'tool-approval-response' ? 'approval-responded' : 'approval-requested'
}

/** Returns the chunks for the end of a call. `before` is the part with the same input, and `reached` its state after the other chunks. */
function endChunks(
  before: ToolPart | undefined,
  after: ToolPart,
  reached: ToolPart['state'],
): readonly ToolChunk[] | undefined {
  const { toolCallId, state } = after
  switch (state) {
    case 'output-available':
    case 'output-error':
      return before && reached === state && hasSameEnd(before, after) ? [] : [outputChunk(after)]
    case 'output-denied':
      return reached === state ? [] : [{ type: 'tool-output-denied', toolCallId }]
    default:
      return reached === state ? [] : undefined
  }
}

type Ended = Extract<ToolPart, { readonly state: 'output-available' | 'output-error' }>

function outputChunk(part: Ended): ToolChunk {
  const { toolCallId, resultProviderMetadata: providerMetadata } = part
  const head = { toolCallId, dynamic: true, providerMetadata } as const
  if (part.state === 'output-error')
    return omitUndefined({ type: 'tool-output-error', errorText: part.errorText, ...head })
  const { output, preliminary } = part
  return omitUndefined({ type: 'tool-output-available', output, preliminary, ...head })
}

function hasSameEnd(before: ToolPart, after: Ended): boolean {
  if (before.state === 'output-available' && after.state === 'output-available')
    return (
      before.output === after.output &&
      before.preliminary === after.preliminary &&
      isEqual(before.resultProviderMetadata, after.resultProviderMetadata)
    )
  return isEqual(before, after)
}
