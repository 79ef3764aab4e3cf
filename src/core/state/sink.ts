import type { SessionConversationState } from './session.ts'

/** The output for a state, with the memory for the next state. */
export interface SinkStep<Memory, Out> {
  readonly memory: Memory
  readonly out: readonly Out[]
}

/**
 * Translates the states of a session into the messages of another tool. It is a pure fold over states. It compares
 * each state with the one before by reference and returns what changed, so its cost follows the change.
 *
 * A caller may pass every state of a session, or any of them in their order. The output until then, with the output
 * of `end`, leads the tool's own reader to the same result.
 */
export interface Sink<Memory, Out> {
  /** The memory before the first state. */
  readonly initial: Memory
  /** Returns the output for the changes since the last state. The same state again gives none. */
  translate(memory: Memory, state: SessionConversationState): SinkStep<Memory, Out>
  /** Returns the output that ends the session for the tool. `state` is the last state that `translate` had. */
  end(memory: Memory, state: SessionConversationState): Pick<SinkStep<Memory, Out>, 'out'>
}
