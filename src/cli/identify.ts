import { readFile } from 'node:fs/promises'
import { computeAgentTypeHash, computeToolSetHash, hashSystemPrompt } from '../identity/agent-type.ts'
import { type IdentifiedConversation, identifySession } from '../identity/session.ts'
import { asObject, asString } from '../json/values.ts'
import { wrapReadError } from '../node/files/read-error.ts'
import type { SessionReading } from '../node/read/session-fold.ts'
import { findConversation } from '../selectors/find.ts'
import { isPrompt } from '../state/block.ts'
import { MAIN, type SessionConversationState } from '../state/session.ts'
import { InputError } from './input-error.ts'
import { issueLines, truncate } from './terminal/text.ts'

/** The files that decide the agent type. */
export interface AgentTypeFiles {
  /** The path of a file with the prompt. */
  readonly systemPrompt?: string
  /** The path of a file with a JSON list. */
  readonly tools?: string
}

/** The identities of a session's conversations. All of them have the same agent type. */
interface SessionIdentities {
  readonly agentTypeHash: string
  readonly conversations: readonly IdentifiedConversation[]
}

/** Identifies every conversation of a session. A missing system prompt or tool list counts as empty. */
export async function identify(
  state: SessionConversationState,
  { systemPrompt, tools }: AgentTypeFiles,
): Promise<SessionIdentities> {
  const promptHash = hashSystemPrompt(systemPrompt === undefined ? '' : await readUtf8(systemPrompt))
  const toolSetHash = tools === undefined ? computeToolSetHash([]) : hashTools(tools, await readUtf8(tools))
  const agentTypeHash = computeAgentTypeHash(promptHash, toolSetHash)
  return { agentTypeHash, conversations: identifySession(state, { agentTypeHash }) }
}

async function readUtf8(path: string): Promise<string> {
  const bytes = await wrapReadError(readFile(path), path)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (error) {
    // Decoding replaces invalid bytes, so different files would share a hash.
    throw new InputError(`${path}: not UTF-8`, { cause: error })
  }
}

/** Returns the hash of a JSON list of tools: names, or objects with a name. */
function hashTools(path: string, json: string): string {
  try {
    const value: unknown = JSON.parse(json)
    if (!Array.isArray(value)) throw new RangeError('not a JSON list of tools')
    return computeToolSetHash(
      value.map((tool) => ({ name: asString(tool) ?? asString(asObject(tool).name) ?? '' })),
    )
  } catch (error) {
    throw new InputError(`${path}: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    })
  }
}

/** Renders the identities as text: one line per conversation, with the hash of its parent conversation, and then the issues. */
export function renderIdentities({
  agentTypeHash,
  conversations,
  issues,
  state,
}: SessionIdentities & Pick<SessionReading, 'issues' | 'state'>): string {
  const lines = conversations.map(({ conversationId, name, identity, parentConversationHash }) => {
    const own = [identity?.conversationHash ?? UNKNOWN, name, conversationId]
    const parent = conversationId === MAIN ? undefined : `of ${parentConversationHash ?? UNKNOWN}`
    const reason = identity ? undefined : missingPart(state, conversationId)
    return [...own, parent, reason].flatMap((part) => (part ? truncate(part) : [])).join(' · ')
  })
  return `${[`agent type ${agentTypeHash}`, ...lines, ...issueLines(issues)].join('\n')}\n`
}

const UNKNOWN = 'unknown'

/** Returns the reason why a conversation has no hash: a stream, for example, often lacks the first prompt. */
function missingPart(state: SessionConversationState, conversationId: string): string {
  const { blocks = [] } = findConversation(state, conversationId) ?? {}
  return blocks.some(isPrompt)
    ? 'the input lacks the whole first response'
    : 'the input lacks the first prompt: pass the stored session'
}
