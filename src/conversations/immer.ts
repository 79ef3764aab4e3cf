import { Immer } from 'immer'

/** Immer without freezing: that would visit every message of a conversation with each one that comes. */
export const immer: Immer = new Immer({ autoFreeze: false })
