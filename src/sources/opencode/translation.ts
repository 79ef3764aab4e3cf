import { Translation as AnyTranslation } from '../translation.ts'
import type { OpencodeMemory } from './memory.ts'

/** One message of OpenCode on its way into events. */
export class Translation extends AnyTranslation<OpencodeMemory> {}
