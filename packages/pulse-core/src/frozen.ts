/** A frozen copy of a list. What is no list is kept as it is: the check of the graph reports it (CORE-26). */
export const frozenList = <Element>(list: readonly Element[]): readonly Element[] =>
  Array.isArray(list) ? Object.freeze([...list]) : list;

/** A frozen copy of a record, without a prototype. What is no record is kept as it is. */
export const frozenRecord = <Value>(record: Readonly<Record<string, Value>>): Readonly<Record<string, Value>> =>
  typeof record === "object" && record !== null
    ? Object.freeze(Object.assign(Object.create(null) as Record<string, Value>, record))
    : record;
