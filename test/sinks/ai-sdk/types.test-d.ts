import type { UIMessage as UIMessage6, UIMessageChunk as UIMessageChunk6 } from 'ai'
import type { UIMessage as UIMessage7, UIMessageChunk as UIMessageChunk7 } from 'ai-next'
import type {
  SessionUIChunk,
  SessionUIData,
  SessionUIMessage,
  SessionUIMetadata,
} from '../../../src/entries/ai-sdk.ts'

// The package's own types are assignable to those of the AI SDK, so that a program passes them without a cast.

type Assignable<From extends To, To> = [From, To]

export type Messages6 = Assignable<SessionUIMessage[], UIMessage6<SessionUIMetadata, SessionUIData>[]>
export type Messages7 = Assignable<SessionUIMessage[], UIMessage7<SessionUIMetadata, SessionUIData>[]>
export type AnyMessages6 = Assignable<SessionUIMessage[], UIMessage6[]>
export type AnyMessages7 = Assignable<SessionUIMessage[], UIMessage7[]>
export type Chunk6 = Assignable<Exclude<SessionUIChunk, { type: 'tool-approval-response' }>, UIMessageChunk6>
export type Chunk7 = Assignable<SessionUIChunk, UIMessageChunk7>

// @ts-expect-error: version 6 has no chunk for the answer to an approval.
export type AllChunks6 = Assignable<SessionUIChunk, UIMessageChunk6>
