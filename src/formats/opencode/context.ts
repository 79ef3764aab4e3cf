import { TranslationContext as AnyTranslation } from '../translation/context.ts'
import type { OpencodeMemory } from './memory.ts'

/** One message of OpenCode on its way into events. */
export class OpencodeContext extends AnyTranslation<OpencodeMemory> {}
