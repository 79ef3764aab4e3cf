import { TranslationContext } from '../translation/context.ts'
import type { OpencodeMemory } from './memory.ts'

/** The translation of one OpenCode message into session events. */
export class OpencodeContext extends TranslationContext<OpencodeMemory> {}
