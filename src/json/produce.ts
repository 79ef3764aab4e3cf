import { Immer } from 'immer'

/** Applies a recipe to a copy. It freezes nothing: objects of the host stay as they are, and V8 copies frozen lists slowly. */
export const produce: Immer['produce'] = new Immer({ autoFreeze: false }).produce
