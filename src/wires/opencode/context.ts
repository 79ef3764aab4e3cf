import { addToList } from '../../json/append.ts'
import { TranslationContext } from '../../session/context.ts'
import type { OpencodeMemory } from './memory.ts'
import { findMessage, knownMessage, type OwnMessage } from './records/message.ts'
import { newSession, type OwnSession } from './records/session.ts'
import type { MessageRef } from './routing/event-place.ts'

/** The translation of one OpenCode message into session events. */
export class OpencodeContext extends TranslationContext<OpencodeMemory> {
  /** The sessions whose parent, call or tree became known since the last release of buffered events. */
  #revealed = new Set<string>()
  #revealsAll = false
  /** By session: the sessions that name it as their parent. A batch indexes them once. */
  #children: Map<string, string[]> | undefined
  readonly #ownSessions = new Map<string, OwnSession>()
  readonly #ownMessages = new Map<string, OwnMessage>()

  /** Returns this batch's own copy of a session, which it changes in place. A new session has no known facts. */
  ownSession(id: string): OwnSession {
    return this.#ownSessions.get(id) ?? this.#copySession(id)
  }

  #copySession(id: string): OwnSession {
    const { sessions } = this.memory
    const own = Object.assign(newSession(id), sessions.get(id))
    this.#ownSessions.set(id, own)
    this.setEntry('sessions', id, own)
    return own
  }

  /** Returns this batch's own copy of a message, which it changes in place. A new message has no known facts. */
  ownMessage(ref: MessageRef): OwnMessage {
    return this.#ownMessages.get(this.keyOf(ref.sessionId, ref.messageId)) ?? this.#copyMessage(ref)
  }

  #copyMessage(ref: MessageRef): OwnMessage {
    const found = findMessage(ref, this)
    const own = found ? { ...found } : knownMessage(ref, this)
    if (!found) this.open(own.parts)
    this.setMessage(ref, own)
    return own
  }

  /** Replaces a message by one that belongs to this batch, or removes it. */
  setMessage({ sessionId, messageId }: MessageRef, message: OwnMessage | undefined): void {
    const key = this.keyOf(sessionId, messageId)
    if (message) {
      this.#ownMessages.set(key, message)
      this.setEntry('messages', key, message)
    } else {
      this.#ownMessages.delete(key)
      this.removeEntry('messages', key)
    }
  }

  /** Notes that the parent or the call of a session is known now, so its place and those below it may be known. */
  reveal(sessionId: string, parentId?: string): void {
    this.#revealed.add(sessionId)
    if (this.#children && parentId !== undefined) addToList(this.#children, parentId, sessionId)
  }

  /** Notes that the main session is known now, so the place of any session may be known. */
  revealAll(): void {
    this.#revealsAll = true
  }

  get hasRevealed(): boolean {
    return this.#revealsAll || this.#revealed.size > 0
  }

  /** Takes the sessions that were revealed since the last call. Undefined stands for all sessions. */
  takeRevealed(): readonly string[] | undefined {
    const revealed = this.#revealsAll ? undefined : [...this.#revealed]
    this.#revealsAll = false
    this.#revealed.clear()
    return revealed
  }

  /** Takes the known children of a session whose place is known. They are needed once, because a known place stays known. */
  takeChildren(sessionId: string): readonly string[] {
    if (!this.#children) {
      this.#children = new Map()
      for (const { id, parentId } of this.memory.sessions.values())
        if (parentId !== undefined) addToList(this.#children, parentId, id)
    }
    const children = this.#children.get(sessionId) ?? []
    this.#children.delete(sessionId)
    return children
  }
}
