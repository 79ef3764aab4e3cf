import type { BlockMetadata, DataPart, SessionUIMessage, SessionUIMetadata } from '../messages/ui-message.ts'

/** A chunk of the AI SDK's UI message stream. */
export type SessionUIChunk =
  | { readonly type: 'start'; readonly messageId: string; readonly messageMetadata: SessionUIMetadata }
  | { readonly type: 'message-metadata'; readonly messageMetadata: Partial<SessionUIMetadata> }
  | { readonly type: 'finish'; readonly finishReason: 'stop' | 'error' | 'other' }
  | { readonly type: 'start-step' }
  | TextChunk<'text'>
  | TextChunk<'reasoning'>
  | ToolChunk
  | DataPart

/** A chunk of a text or of thinking. */
type TextChunk<Kind extends 'text' | 'reasoning'> =
  | { readonly type: `${Kind}-start`; readonly id: string; readonly providerMetadata: BlockMetadata }
  | {
      readonly type: `${Kind}-delta`
      readonly id: string
      readonly delta: string
      readonly providerMetadata?: BlockMetadata
    }
  | { readonly type: `${Kind}-end`; readonly id: string; readonly providerMetadata?: BlockMetadata }

/** A chunk of a tool call. */
export type ToolChunk =
  | {
      readonly type: 'tool-input-start'
      readonly toolCallId: string
      readonly toolName: string
      readonly dynamic: true
      readonly providerMetadata: BlockMetadata
    }
  | { readonly type: 'tool-input-delta'; readonly toolCallId: string; readonly inputTextDelta: string }
  | {
      readonly type: 'tool-input-available'
      readonly toolCallId: string
      readonly toolName: string
      readonly input: unknown
      readonly dynamic: true
      readonly providerMetadata: BlockMetadata
    }
  | { readonly type: 'tool-approval-request'; readonly toolCallId: string; readonly approvalId: string }
  /** The AI SDK knows it from version 7 on. */
  | {
      readonly type: 'tool-approval-response'
      readonly approvalId: string
      readonly approved: boolean
      readonly reason?: string
    }
  | {
      readonly type: 'tool-output-available'
      readonly toolCallId: string
      readonly output: unknown
      readonly dynamic: true
      readonly preliminary?: boolean
      readonly providerMetadata?: BlockMetadata
    }
  | {
      readonly type: 'tool-output-error'
      readonly toolCallId: string
      readonly errorText: string
      readonly dynamic: true
      readonly providerMetadata?: BlockMetadata
    }
  | { readonly type: 'tool-output-denied'; readonly toolCallId: string }

/**
 * A change of the messages:
 * - `chunk`: a chunk of the stream of the answer with that id. A `start` begins the message, also if there is one
 *   with that id.
 * - `message`: a message of the person. It comes after the others, or replaces the one with its id.
 * - `order`: the ids of all messages in their order, where a message has gone or is not the last one.
 */
export type UIMessageUpdate =
  | { readonly type: 'chunk'; readonly messageId: string; readonly chunk: SessionUIChunk }
  | { readonly type: 'message'; readonly message: SessionUIMessage }
  | { readonly type: 'order'; readonly messageIds: readonly string[] }
