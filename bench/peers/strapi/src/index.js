const { writeFileSync } = require('node:fs');

/** Actions that anyone may do. */
const PUBLIC_ACTIONS = [
  'api::article.article.find',
  'api::article.article.findOne',
  'api::category.category.find',
  'api::category.category.findOne',
];

module.exports = {
  register() {},

  /** Lets anyone read, and makes the key of the bench's writer. */
  async bootstrap({ strapi }) {
    const role = await strapi.db
      .query('plugin::users-permissions.role')
      .findOne({ where: { type: 'public' } });
    const permissions = strapi.db.query('plugin::users-permissions.permission');
    for (const action of PUBLIC_ACTIONS) await permissions.create({ data: { action, role: role.id } });
    const key = { name: 'bench', description: '', type: 'full-access', lifespan: null };
    const { accessKey } = await strapi.service('admin::api-token').create(key);
    writeFileSync(process.env.TOKEN_FILE, accessKey);
  },
};
