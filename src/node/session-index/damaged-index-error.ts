/** A part of an index is not as it was written. */
export class DamagedIndexError extends Error {}
