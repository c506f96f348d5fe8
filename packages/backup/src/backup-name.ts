/** The name of a backup: when it was made, in UTC. */
const NAME = /^(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)Z$/;

/** The name of a backup that is made `now`. */
export function nameAt(now: Date): string {
  return `${now.toISOString().slice(0, 19).replaceAll(':', '-')}Z`;
}

/** When the backup of a name was made; undefined if it is not the name of a backup. */
export function madeAt(name: string): Date | undefined {
  if (!NAME.test(name)) return undefined;
  const time = new Date(name.replace(NAME, '$1T$2:$3:$4Z'));
  // There is no 30 February, nor a 99th of a month.
  return !Number.isNaN(time.getTime()) && nameAt(time) === name ? time : undefined;
}
