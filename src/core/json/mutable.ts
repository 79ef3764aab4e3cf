/** The type with fields that can change, for a value that nobody else has yet. */
export type Mutable<Item> = { -readonly [Key in keyof Item]: Item[Key] }
