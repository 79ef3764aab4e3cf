import { sha256Hex } from '../../core/json/sha256.ts'
import type { SessionConversationState } from '../../core/state/session.ts'

/** Options of `toSpans` and `spanSink`. */
export interface SpanOptions {
  /** Names the session in every id. The default is `state.session.id`. */
  readonly sessionId?: string
  /** Whether spans contain prompts, answers, inputs, outputs and messages of errors. The default is no. */
  readonly content?: boolean
  /** A span of your own program that the session's first span comes under. Ids are hexadecimal: 32 and 16 digits. */
  readonly parent?: { readonly traceId: string; readonly spanId: string }
  /** Returns the hash of an agent's type, which becomes `gen_ai.agent.id`. The argument is `'main'` or a `toolUseId`. */
  readonly agentTypeHash?: (conversationId: string) => string | undefined
}

/** The facts that all spans of a session share. */
export interface TraceContext {
  readonly sessionId: string
  readonly traceId: string
  readonly parentSpanId: string | undefined
  readonly hasContent: boolean
  readonly agentTypeHash: (conversationId: string) => string | undefined
  /** Returns the id of a span. The same names give the same id. */
  readonly spanId: (...names: readonly string[]) => string
}

/** Returns undefined while the session's id is not known. Throws a `TypeError` for a parent with wrong ids. */
export function traceContext(
  { session }: SessionConversationState,
  { sessionId = session.id, content = false, parent, agentTypeHash = () => undefined }: SpanOptions,
): TraceContext | undefined {
  if (parent && !(/^[0-9a-f]{32}$/.test(parent.traceId) && /^[0-9a-f]{16}$/.test(parent.spanId)))
    throw new TypeError('parent: pass 32 and 16 lowercase hexadecimal digits')
  if (sessionId === undefined) return undefined
  return {
    sessionId,
    traceId: parent?.traceId ?? hashOf(['trace', sessionId]).slice(0, 32),
    parentSpanId: parent?.spanId,
    hasContent: content,
    agentTypeHash,
    spanId: (...names) => hashOf(['span', sessionId, ...names]).slice(0, 16),
  }
}

/** Returns the SHA-256 of texts, as 64 hexadecimal digits. */
export function hashOf(names: readonly string[]): string {
  return sha256Hex(JSON.stringify(names))
}
