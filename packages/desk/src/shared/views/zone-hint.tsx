import { useDesk } from '../desk.ts';

/** The zone of the times beside it, such as `Asia/Shanghai (GMT+8)`. */
export function ZoneHint() {
  const { say, zone } = useDesk().texts;
  const timeZone = zone.value;
  const here = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const format = new Intl.DateTimeFormat('en', { timeZoneName: 'shortOffset', timeZone });
  const offset = format.formatToParts(new Date()).find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const name = format.resolvedOptions().timeZone;
  return <p class="hint">{say(name === here ? 'zoneIs' : 'ownZoneIs', { zone: `${name} (${offset})` })}</p>;
}
