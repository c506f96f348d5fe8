/**
 * Parameters that say where a reader came from, not what they read, in lower case: those that ClearURLs
 * removes from any address, and later ones; each is a full name or a prefix with `*`.
 */
const TRACKING = `
  utm utm_* itm_* int_source int_medium int_campaign int_content otm_* hmb_* mtm_* pk_* piwik_* matomo_* ga_* hsa_* hsctatracking _hsenc _hsmi __hsfp __hssc
  __hstc _ga _gl gclid gclsrc dclid gbraid wbraid gad gad_* gs_l srsltid fbclid fb_action_ids fb_action_types fb_ref
  fb_source action_object_map action_ref_map action_type_map igsh igshid mibextid msclkid yclid ysclid ymclid _openstat
  ttclid twclid __twitter_impression ref_src ref_url li_fat_id epik rdt_cid sccid scid rb_clickid tracking_source
  mc_cid mc_eid mc_tc mkt_tok ml_subscriber ml_subscriber_hash vero_conv vero_id wickedid oly_anon_id oly_enc_id
  elqtrackid elqtrack elqcampaignid elqaid elqat elq _kx _ke __s _bta_* trk_* bsft_* dm_i ck_subscriber_id
  sfmc_* sc_cid s_cid s_kwcid ef_id cmpid ncid mbid at_medium at_campaign at_custom* wt_mc wt_zmc wtmc wtrid echobox spm scm vn_*
  os_ehash ceneo_spo xtor share_token ref
`
  .trim()
  .split(/\s+/);

const NAMES = new Set(TRACKING.filter((name) => !name.endsWith('*')));
const PREFIXES = TRACKING.filter((name) => name.endsWith('*')).map((name) => name.slice(0, -1));

/** Whether a parameter of this name says where a reader came from, such as `fbclid` and `utm_source`. */
export function isTracking(name: string): boolean {
  const lower = name.toLowerCase();
  return NAMES.has(lower) || PREFIXES.some((prefix) => lower.startsWith(prefix));
}
