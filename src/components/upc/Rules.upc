# SPDX-License-Identifier: BSD-3-Clause
#
# Rules.upc - how PAPI's make builds the upc component. libupc is opened at run
# time, so that nothing of it is needed here but its header. The core of MPX, for
# multiplexed sets, is compiled in: its files are in mpx/, and upc.h is beside them.
#
# UPC_LIBDIR=DIR (on make's command line or in the environment) makes
# DIR/libupc.so.0 the place looked at last, after $UPC_LIBRARY and the dynamic
# loader's own search path.
#
# UPC_PRESETS=yes likewise is for a PAPI that programs have under upc_run: upc is its first
# component, and papi_events.csv is upc_presets.csv, or has it at its end (README.md).

UPC_DIR = components/upc
UPC_HEADERS = $(wildcard $(UPC_DIR)/*.h $(UPC_DIR)/mpx/*.h $(UPC_DIR)/mpx/*/*.h)
# All that is there; estimate.c by way of upc_estimate.c.
UPC_OWN = $(filter-out %/upc_presets.c,$(wildcard $(UPC_DIR)/*.c)) $(if $(UPC_PRESETS),$(UPC_DIR)/upc_presets.c)
UPC_MPX = $(filter-out %/estimate.c,$(wildcard $(UPC_DIR)/mpx/*/*.c))
UPC_DEFINES = $(if $(UPC_LIBDIR),-DUPC_LIBDIR='"$(UPC_LIBDIR)"') $(if $(UPC_PRESETS),-DUPC_PRESETS)

COMPSRCS += $(UPC_OWN) $(UPC_MPX)
COMPOBJS += $(notdir $(UPC_OWN:.c=.o)) $(patsubst %.c,upc_mpxi_%.o,$(notdir $(UPC_MPX)))

# The shared library is compiled from all sources in one command: a definition
# that only one object's rule had would be missing there. The unwind tables, of
# all of PAPI, are for upc_caller.c.
LIBCFLAGS += $(UPC_DEFINES) -funwind-tables -I$(UPC_DIR)/mpx
SHLIBDEPS += $(LDL) -lpthread
LDFLAGS += $(LDL) -lpthread

# Nor may PAPI's calls vanish into one another when a program is linked.
papi.o: override OPTFLAGS += -fno-lto

define UPC_RULE
$(2).o: $(1) $(UPC_HEADERS) $(HEADERS)
	$$(CC) $$(LIBCFLAGS) $$(OPTFLAGS) -c $(1) -o $$@
endef
$(foreach file,$(UPC_OWN),$(eval $(call UPC_RULE,$(file),$(basename $(notdir $(file))))))
$(foreach file,$(UPC_MPX),$(eval $(call UPC_RULE,$(file),upc_mpxi_$(basename $(notdir $(file))))))
upc_estimate.o: $(UPC_DIR)/mpx/stat/estimate.c
